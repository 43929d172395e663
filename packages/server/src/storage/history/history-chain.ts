import { createHash } from 'node:crypto';
import type { HistoryRow } from './history-store.ts';

/** The hash that precedes the first entry. */
export const CHAIN_START = '0'.repeat(64);

/** The hash of an entry covers everything that is stored of it, and the hash of the entry before it. */
export function entryHash(row: Omit<HistoryRow, 'hash'>, previousHash: string): string {
  const parts = [
    previousHash,
    row.id,
    row.property_id,
    row.sequence,
    row.at,
    row.actor_type,
    row.actor_id,
    row.actor_name,
    row.via,
    row.entity_type,
    row.entity_key,
    row.action,
    row.comment,
    row.changes,
    row.version,
    row.property_version,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What is wrong with the next row of a chain; undefined if nothing. */
export function brokenLink(row: HistoryRow, previous: HistoryRow | undefined): string | undefined {
  const expected = (previous?.sequence ?? 0) + 1;
  if (row.sequence !== expected) return `entry ${expected} is missing`;
  if (row.hash !== entryHash(row, previous?.hash ?? CHAIN_START)) {
    return `entry ${row.sequence} (${row.id}) was modified`;
  }
  return undefined;
}
