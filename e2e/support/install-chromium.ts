import { apt, canUseApt } from '@switchyard/testing/programs/apt';
import { findChromium } from './chromium.ts';

/** Runs once before all tests: installs a browser if possible. In CI, a missing browser fails the run. */
export async function setup(): Promise<void> {
  if ((await findChromium()) === undefined && canUseApt()) {
    console.log('Installing Chromium for the browser tests (apt-get install chromium-headless-shell) …');
    try {
      apt('update');
      installOneOf('chromium-headless-shell', 'chromium');
    } catch (error) {
      console.error(`Failed to install Chromium: ${(error as Error).message}`);
    }
  }
  if ((await findChromium()) !== undefined) return;
  const message = 'Chromium not found; install it, or set CHROMIUM_PATH.';
  if (process.env.CI) throw new Error(`Cannot run the browser tests. ${message}`);
  console.warn(`Skipping the browser tests. ${message}`);
}

/** Older distributions only have the whole browser. */
function installOneOf(...packages: string[]): void {
  const [name, ...others] = packages;
  try {
    apt('install', '--yes', '--no-install-recommends', name!);
  } catch (error) {
    if (others.length === 0) throw error;
    installOneOf(...others);
  }
}
