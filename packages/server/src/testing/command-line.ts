import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BIN, type TestServer } from './test-server.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line in a process of its own, on the data of a running server. */
export function switchyard(server: TestServer, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: server.dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** Runs any program in a directory, with nothing but the path in its environment. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, input = '' }: { cwd: string; input?: string },
): Promise<Omit<Ended, 'code'> & { code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH } });
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      printed.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      printed.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...printed, code }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

let files = 0;

/** `switchyard apply` of the given content; throws when it is refused. */
export async function applyProvision(server: TestServer, provision: object): Promise<void> {
  files += 1;
  const file = join(server.dataDir, `change-${files}.json`);
  writeFileSync(file, JSON.stringify(provision));
  const { code, stdout, stderr } = await switchyard(server, 'apply', file);
  if (code !== 0) throw new Error(`apply ended with ${code}:\n${stdout}${stderr}`);
}
