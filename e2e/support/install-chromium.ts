import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from './chromium.ts';

/** Runs once before all tests: gets a browser where that is possible. In CI a run without one is a failure. */
export async function setup(): Promise<void> {
  if ((await findChromium()) === undefined && canUseApt()) {
    console.log('Installing Chromium for the browser tests (apt-get install chromium) …');
    try {
      apt('update');
      apt('install', '--yes', '--no-install-recommends', 'chromium');
    } catch (error) {
      console.error(`Chromium could not be installed: ${(error as Error).message}`);
    }
  }
  if ((await findChromium()) !== undefined) return;
  const message = 'There is no Chromium here; install one, or set CHROMIUM_PATH.';
  if (process.env.CI) throw new Error(`The browser tests cannot run. ${message}`);
  console.warn(`The browser tests are skipped. ${message}`);
}

const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

function apt(...args: string[]): void {
  execFileSync('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 5 * 60 * 1000,
  });
}
