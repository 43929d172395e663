import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CommitMark } from '../../../platform/files/commit-mark.ts';
import { lastEntry } from './journal-entries.ts';

const BUSY_MS = 5000;

/** The position up to which the event store has the entries, as far as the journal knows. */
export function handedOver(journal: DatabaseSyncInstance): number {
  return Number(journal.prepare('SELECT max(seq) AS seq FROM handed_over').get().seq);
}

/** The position that the event store had reached, read from the journal without changing it; 0 if unknown. */
export function positionReached(file: string): number {
  try {
    return readPosition(file, handedOver);
  } catch {
    // Damaged, which is reported when the journal is opened for writing.
    return 0;
  }
}

/** The last position that the journal has or had, read without changing it. */
export const lastPosition = (file: string): number =>
  readPosition(file, (journal) => Math.max(handedOver(journal), lastEntry(journal)));

function readPosition(file: string, read: (journal: DatabaseSyncInstance) => number): number {
  if (!existsSync(file)) return 0;
  const journal = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    const hasTables =
      journal.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries_2'").get() !== undefined;
    return hasTables ? read(journal) : 0;
  } finally {
    journal.close();
  }
}

/** How many of the last positions are neither in the journal nor in the event store. */
export function missingPositions(file: string, watermark: number): number {
  const { value = 0 } = new CommitMark(file);
  return Math.max(0, value - Math.max(watermark, lastPosition(file)));
}

/** Fails if the store's file or log was removed, truncated or replaced by an older one, so that the loss is noticed. */
export function assertNoLoss(watermark: number, reached: number): void {
  if (watermark >= reached) return;
  throw Object.assign(
    new Error(
      `The event store is missing events: it ends at position ${watermark}, but had reached ${reached}. ` +
        'Were events.duckdb or events.duckdb.wal, or tables of ClickHouse, removed or replaced? Restore them, ' +
        'or start once with "serve --accept-loss" to continue without those events.',
    ),
    { code: 'STORE_BEHIND' },
  );
}

/**
 * Fails if the end of the journal is missing, and the event store does not have it either.
 * @param reached the last position that one of them has
 */
export function assertComplete(file: string, reached: number, acknowledged: number): void {
  if (reached >= acknowledged) return;
  const name = basename(file);
  throw Object.assign(
    new Error(
      `${name} is missing requests: it ends at position ${reached}, but had reached ${acknowledged}. Was ${name}-wal ` +
        `damaged or removed, or ${name} replaced? Restore the last backup with "switchyard restore", or start once ` +
        'with "serve --accept-loss" to continue without those requests.',
    ),
    { code: 'JOURNAL_BEHIND' },
  );
}
