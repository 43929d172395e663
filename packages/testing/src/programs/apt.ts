import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

export const apt = (...args: string[]) => aptIn(undefined, ...args);

/** In a directory, for example to download a package into it. */
export function aptIn(directory: string | undefined, ...args: string[]): void {
  execFileSync('apt-get', args, {
    ...(directory !== undefined && { cwd: directory }),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 5 * 60 * 1000,
  });
}
