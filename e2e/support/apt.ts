import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

export function apt(...args: string[]): void {
  execFileSync('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 5 * 60 * 1000,
  });
}
