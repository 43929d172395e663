import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Nodes } from './nodes.ts';
import type { DatabaseTables } from './tables/database-tables.ts';

/** The database or a transaction on it. */
export type Database = Kysely<DatabaseTables>;

export interface DatabaseHandle {
  readonly database: Database;
  /** The same database for work that no request waits for: statements may take longer. */
  readonly background: Database;
  readonly nodes: Nodes;
  /** Calls back after every commit by any connection of any process; returns an unsubscribe function. */
  watch(onChange: () => void): () => void;
  /** Removes deleted text from the write-ahead log. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** A new id with a type prefix, like `flg_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** A new seed for assigning visitors. */
export function newHashSeed(): string {
  return randomBytes(8).toString('hex');
}

/** Tables of items, whose rows are in the order of creation. */
export type PositionedTable = {
  [Name in keyof DatabaseTables]: DatabaseTables[Name] extends ItemTable ? Name : never;
}[keyof DatabaseTables];

interface ItemTable {
  property_id: string;
  position: number;
  created_at: number;
}

/** The position after the last row, so that lists keep the order of creation. */
export async function nextPosition(
  database: Database,
  table: PositionedTable,
  propertyId: string,
): Promise<number> {
  const row = await database
    .selectFrom(table)
    .select((select) => select.fn.max<number | null>('position').as('last'))
    .where('property_id', '=', propertyId)
    .executeTakeFirst();
  return (row?.last ?? 0) + 1;
}
