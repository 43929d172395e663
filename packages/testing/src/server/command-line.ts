import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BIN, type TestServer } from './test-server.ts';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the CLI in a separate process on the data of a running server. */
export function switchyard(server: TestServer, ...args: string[]): Promise<CommandResult> {
  return switchyardWith({ DATA_DIR: server.dataDir }, ...args);
}

/** Runs the CLI in a separate process with only these settings. */
export function switchyardWith(settings: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** Runs a program in a directory, with only PATH in its environment. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, input = '' }: { cwd: string; input?: string },
): Promise<Omit<CommandResult, 'code'> & { code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH } });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...output, code }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

let files = 0;

/** Runs `switchyard apply`; throws if it fails. */
export async function applyProvision(server: TestServer, provision: object): Promise<void> {
  files += 1;
  const file = join(server.dataDir, `change-${files}.json`);
  writeFileSync(file, JSON.stringify(provision));
  const { code, stdout, stderr } = await switchyard(server, 'apply', file);
  if (code !== 0) throw new Error(`apply exited with ${code}:\n${stdout}${stderr}`);
}
