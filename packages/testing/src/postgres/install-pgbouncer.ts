import { installInCi } from '../programs/apt.ts';
import { findPgbouncer } from './pgbouncer.ts';

/** Runs once before all tests. */
export function setup(): void {
  if (findPgbouncer() === undefined) installInCi('PgBouncer', 'pgbouncer', 'connection pools');
}
