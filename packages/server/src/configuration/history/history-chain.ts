import type { Selectable } from 'kysely';
import { CHAIN_START, sha256 } from '../audit/hash-chain.ts';
import type { DatabaseTables } from '../database/tables/database-tables.ts';

export type HistoryRow = Selectable<DatabaseTables['history']>;

export type HistoryText = Pick<HistoryRow, 'actor_name' | 'comment' | 'changes'>;

/** Stands for the text in the hash of an entry, so that the text can be redacted. Without the salt, nobody can guess it. */
export const commitmentTo = ({ actor_name, comment, changes }: HistoryText, salt: string): string =>
  sha256([salt, actor_name, comment, changes]);

/** The hash of an entry covers everything that is stored of it, and the hash of the entry before it. */
export function entryHash(row: Omit<HistoryRow, 'hash'>, previousHash: string): string {
  return sha256([
    previousHash,
    row.id,
    row.property_id,
    row.sequence,
    row.at,
    row.ordered_at,
    row.actor_type,
    row.actor_id,
    row.via,
    row.entity_type,
    row.entity_key,
    row.action,
    row.version,
    row.property_version,
    row.commitment,
  ]);
}

/** What is wrong with the next row of a chain; undefined if nothing. */
export function brokenLink(row: HistoryRow, previous: HistoryRow | undefined): string | undefined {
  const expected = (previous?.sequence ?? 0) + 1;
  if (row.sequence !== expected) return `entry ${expected} is missing`;
  const isIntact = row.salt === null || row.commitment === commitmentTo(row, row.salt);
  if (!isIntact || row.hash !== entryHash(row, previous?.hash ?? CHAIN_START)) {
    return `entry ${row.sequence} (${row.id}) was modified`;
  }
  return undefined;
}
