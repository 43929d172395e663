import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CommitMark } from '../../../platform/files/commit-mark.ts';

/** A statement that is a transaction of its own. */
const CHANGE = /^\s*(insert|update|delete|replace|with)\b/i;
const BUSY_MS = 5000;

/** Counts the commits to a file, in the file (`user_version`) and beside it. */
export class CommitCounter {
  readonly #path: string;
  readonly #isNew: boolean;
  readonly #mark: CommitMark;
  /** Changed rows before the current transaction. */
  #changedBefore = 0;

  constructor(path: string) {
    this.#path = path;
    this.#isNew = isEmpty(path);
    this.#mark = new CommitMark(path);
  }

  /** Reads the file without changing it: its log may be needed to repair it. */
  assertNoLoss(): void {
    const missing = missingCommits(this.#path);
    if (missing === 0) return;
    const name = basename(this.#path);
    throw Object.assign(
      new Error(
        `${name} is missing changes (lost commits: ${missing}). Was ${name}-wal damaged or removed, or ${name} ` +
          `replaced? Restore the last backup with "switchyard restore", or start once with ` +
          '"serve --accept-loss" to continue without those changes.',
      ),
      { code: 'CONFIGURATION_BEHIND' },
    );
  }

  /** Counts from what the file has, if it is new or if a loss has been accepted. */
  start(connection: DatabaseSyncInstance, acceptLoss: boolean): void {
    if (!acceptLoss && !this.#isNew) return;
    this.#mark.set(countOf(connection));
    this.#mark.sync();
  }

  /** Runs a statement of the connection that writes. */
  execute<T>(connection: DatabaseSyncInstance, sql: string, run: () => T): T {
    if (connection.isTransaction) return sql === 'commit' ? this.#commit(connection, run) : run();
    if (CHANGE.test(sql)) return this.#inTransaction(connection, run);
    const result = run();
    if (connection.isTransaction) this.#changedBefore = changedRows(connection);
    return result;
  }

  #inTransaction<T>(connection: DatabaseSyncInstance, run: () => T): T {
    connection.exec('begin immediate');
    try {
      this.#changedBefore = changedRows(connection);
      const result = run();
      this.#commit(connection, () => connection.exec('commit'));
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback');
      throw error;
    }
  }

  #commit<T>(connection: DatabaseSyncInstance, commit: () => T): T {
    if (changedRows(connection) === this.#changedBefore) return commit();
    const count = countOf(connection) + 1;
    connection.exec(`pragma user_version = ${count}`);
    const result = commit();
    this.#mark.advance(count);
    this.#mark.sync();
    return result;
  }

  close(): void {
    this.#mark.close();
  }
}

/** How many commits a file has lost; 0 for a new one, because the server itself notices if it should not be new. */
export function missingCommits(path: string): number {
  const { value = 0 } = new CommitMark(path);
  if (value === 0 || isEmpty(path)) return 0;
  // Not opened: SQLite deletes the log of an empty file.
  if (sizeOf(path) === 0) return value;
  const connection = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  try {
    return Math.max(0, value - countOf(connection));
  } finally {
    connection.close();
  }
}

const isEmpty = (path: string) => sizeOf(path) === 0 && sizeOf(`${path}-wal`) === 0;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const countOf = (connection: DatabaseSyncInstance) =>
  Number(connection.prepare('pragma user_version').get().user_version);

const changedRows = (connection: DatabaseSyncInstance) =>
  Number(connection.prepare('select total_changes() as changes').get().changes);
