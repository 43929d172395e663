import { spawn } from 'node:child_process';
import { BIN } from '@switchyard/testing/server/test-server';

export interface CommandResult {
  /** Null if the process was killed by a signal. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** stdout and stderr. */
  output: string;
}

interface Options {
  env?: Record<string, string>;
  /** Runs as this user and group. */
  user?: number;
  timeoutMs?: number;
  /** Kills the process on purpose after this time. */
  killAfterMs?: number;
}

/** Runs a CLI command until it exits; after the timeout it is killed, and `code` is null. */
export function switchyard(args: readonly string[], options: Options = {}): Promise<CommandResult> {
  const { env = {}, user, timeoutMs = 120_000, killAfterMs } = options;
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
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs ?? timeoutMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, output: stdout + stderr });
    });
  });
}
