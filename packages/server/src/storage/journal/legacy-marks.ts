import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { IdempotencyMark } from './idempotency-marks.ts';

/** Rows deleted at a time; they are large and scattered on disk. */
const SLICE_ROWS = 100;

/** Idempotency keys stored by version 0.1; the table is dropped once all of them have expired. */
export class LegacyMarks {
  readonly #db: DatabaseSyncInstance;
  #find: StatementSyncInstance | undefined;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    const table = db.prepare(`SELECT name FROM sqlite_master WHERE name = 'idempotency'`).get();
    if (table === undefined) return;
    this.#find = db.prepare('SELECT fingerprint FROM idempotency WHERE key = ? AND created_at > ?');
  }

  matches({ key, fingerprint }: IdempotencyMark, since: number): boolean | undefined {
    const row = this.#find?.get(key, since) as { fingerprint: string } | undefined;
    return row === undefined ? undefined : row.fingerprint === fingerprint;
  }

  deleteExpired(before: number): boolean {
    if (this.#find === undefined) return false;
    const { changes } = this.#db
      .prepare(
        `DELETE FROM idempotency WHERE key IN
           (SELECT key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
      )
      .run(before, SLICE_ROWS);
    if (changes > 0) return true;
    if (this.#db.prepare('SELECT 1 FROM idempotency LIMIT 1').get() === undefined) {
      this.#db.exec('DROP TABLE idempotency');
      this.#find = undefined;
    }
    return false;
  }
}
