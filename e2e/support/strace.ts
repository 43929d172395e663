import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Whether programs can be traced here: strace may be missing, and containers may forbid it. */
export const canTrace = (): boolean =>
  process.platform === 'linux' && spawnSync('strace', ['-D', '-o', '/dev/null', 'true']).status === 0;

/** The command, with each time that it has a file written to disk recorded in `output`. It stays a child process. */
export const tracingSyncs = (output: string, command: readonly string[]): string[] => [
  ...['strace', '-D', '-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', output],
  ...command,
];

/** How often the file was written to disk. */
export function syncsOf(output: string, file: string): number {
  if (!existsSync(output)) return 0;
  const calls = readFileSync(output, 'utf8').matchAll(/ f(?:data)?sync\(\d+<([^>]*)>/g);
  return [...calls].filter(([, path]) => path === file).length;
}
