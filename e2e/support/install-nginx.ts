import { apt, canUseApt } from '@switchyard/testing/programs/apt';
import { findNginx } from './nginx.ts';

/** Runs once before all tests. Only in CI: on other machines, the package would start a web server. */
export function setup(): void {
  if (findNginx() !== undefined || !process.env.CI || !canUseApt()) return;
  console.log('Installing nginx for the tests of deploy/nginx.conf (apt-get install nginx-light) …');
  try {
    apt('update');
    apt('install', '--yes', '--no-install-recommends', 'nginx-light');
  } catch (error) {
    console.error(`Failed to install nginx, skipping its tests: ${(error as Error).message}`);
  }
}
