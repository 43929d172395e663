import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';

/** SQLSTATE of PostgreSQL for a transaction that would have worked alone. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);
/** Another transaction may have inserted or deleted a row after `work` looked for it; the next attempt notices. */
const RACES: ReadonlySet<unknown> = new Set([
  '23503', // foreign_key_violation
  '23505', // unique_violation
]);
const MAX_ATTEMPTS = 20;
/** Fewer, because such an error can also be a mistake of `work`. */
const MAX_RACES = 8;
const MAX_DELAY_MS = 100;

/**
 * Runs `work` in a transaction, as if no other ran at the same time: in SQLite there is no other, and in PostgreSQL a
 * transaction that was in conflict with another one runs again. So `work` must change nothing but the database.
 */
export function inTransaction<T>(
  database: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return retryConflicts(() => database.transaction().setIsolationLevel('serializable').execute(work));
}

/**
 * Runs `work` in a transaction whose statements see what others have committed before. It has to lock the row that
 * stands for what it reads and writes, and then waits for others instead of running again. `work` must change nothing
 * but the database: after a deadlock, it runs again.
 */
export function inLockingTransaction<T>(
  database: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return retryConflicts(() => database.transaction().setIsolationLevel('read committed').execute(work));
}

async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  let races = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) {
        if (!isRace(error)) throw error;
        races += 1;
      }
      if (attempts >= MAX_ATTEMPTS || races >= MAX_RACES) throw error;
    }
    // At different times, or the same transactions would meet again.
    await sleep(Math.random() * Math.min(2 ** attempts, MAX_DELAY_MS));
  }
}

/** All transactions that change access append to one chain. */
const AUDIT_CHAIN = 'audit_log_pkey';

const isRace = (error: unknown): boolean => RACES.has((error as { code?: unknown }).code);
export function isConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return CONFLICTS.has(code) || constraint === AUDIT_CHAIN;
}
