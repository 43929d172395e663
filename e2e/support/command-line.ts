import { spawn } from 'node:child_process';
import { BIN } from '../../packages/server/src/testing/test-server.ts';

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** All that was printed. */
  output: string;
}

interface Options {
  env?: Record<string, string>;
  /** Runs as this user and group. */
  user?: number;
  withinMs?: number;
  /** Killed after this time on purpose, whatever it is doing. */
  killAfterMs?: number;
}

/** Runs the command line to its end, as a user would; one that does not end is killed, and `code` is null. */
export function switchyard(args: readonly string[], options: Options = {}): Promise<Ended> {
  const { env = {}, user, withinMs = 15_000, killAfterMs } = options;
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn', PORT: '0', ...env },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs ?? withinMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, output: stdout + stderr });
    });
  });
}
