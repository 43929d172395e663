import { apt, canUseApt } from '../programs/apt.ts';
import { findPgbouncer } from './pgbouncer.ts';

/** Runs once before all tests. Only in CI: on other machines, the package would start a service. */
export function setup(): void {
  if (findPgbouncer() !== undefined || !process.env.CI || !canUseApt()) return;
  console.log('Installing PgBouncer for the tests of connection pools (apt-get install pgbouncer) …');
  try {
    apt('update');
    apt('install', '--yes', '--no-install-recommends', 'pgbouncer');
  } catch (error) {
    console.error(`Failed to install PgBouncer, skipping its tests: ${(error as Error).message}`);
  }
}
