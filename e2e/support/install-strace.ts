import { apt, canUseApt } from '@switchyard/testing/programs/apt';
import { canTrace } from './strace.ts';

/** Runs once before all tests, in CI only. */
export function setup(): void {
  if (!process.env.CI || canTrace() || !canUseApt()) return;
  console.log('Installing strace for the tests of power failures (apt-get install strace) …');
  try {
    apt('update');
    apt('install', '--yes', '--no-install-recommends', 'strace');
  } catch (error) {
    console.error(`Failed to install strace, skipping its tests: ${(error as Error).message}`);
  }
}
