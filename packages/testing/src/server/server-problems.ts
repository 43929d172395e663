/** As many as a failed test prints. */
const MAX_PROBLEMS = 20;
const LOGGED_PROBLEM = /"level":"(warn|error|fatal)"/;

/** Of all servers of this process, because a test fails without knowing which of them is why. */
const problems: string[] = [];

/** Keeps a line of a server's output if it tells of a problem. */
export function keepProblem(pid: number | undefined, output: 'stdout' | 'stderr', line: string): void {
  if (output === 'stdout' && !LOGGED_PROBLEM.test(line)) return;
  problems.push(`server ${pid}: ${line}`);
  if (problems.length > MAX_PROBLEMS) problems.shift();
}

/** The last problems since the call before. */
export function takeProblems(): string[] {
  return problems.splice(0);
}
