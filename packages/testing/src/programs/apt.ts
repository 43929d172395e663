import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

export const apt = (...args: string[]) => aptIn(undefined, ...args);

/** Debian's package of a program that some tests need. On other machines than CI, it might start a service. */
export function installInCi(program: string, packageName: string, purpose: string): void {
  if (!process.env.CI || !canUseApt()) return;
  console.log(`Installing ${program} for the tests of ${purpose} (apt-get install ${packageName}) …`);
  try {
    apt('update');
    apt('install', '--yes', '--no-install-recommends', packageName);
  } catch (error) {
    console.error(`Failed to install ${program}, skipping its tests: ${(error as Error).message}`);
  }
}

/** In a directory, for example to download a package into it. */
export function aptIn(directory: string | undefined, ...args: string[]): void {
  execFileSync('apt-get', args, {
    ...(directory !== undefined && { cwd: directory }),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 5 * 60 * 1000,
  });
}
