import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { TableKeys } from '../../configuration/definitions/collection-definition.ts';

/** Rows that are read at a time. */
const PAGE_ROWS = 500;
/** Values of one insert; SQLite accepts 32,766. */
const INSERT_VALUES = 8000;

type Row = Record<string, unknown>;
/** The tables are not known by type here. */
type AnyDatabase = Kysely<Record<string, Row>>;

/** What a table contains; equal tables have equal ones. */
export interface TableChecksum {
  table: string;
  count: number;
  checksum: string;
}

/** Replaces all rows of all tables; call it in a transaction. Both have the newest schema. */
export async function copyConfiguration(tables: TableKeys, from: Database, to: Database): Promise<void> {
  const target = to as unknown as AnyDatabase;
  for (const table of Object.keys(tables).reverse()) await target.deleteFrom(table).execute();
  for (const [table, keys] of Object.entries(tables)) {
    for await (const rows of pagesOf(from, table, keys)) {
      const size = Math.max(1, Math.floor(INSERT_VALUES / Object.keys(rows[0] as Row).length));
      for (let i = 0; i < rows.length; i += size) {
        await target
          .insertInto(table)
          .values(rows.slice(i, i + size))
          .execute();
      }
    }
  }
}

/** Of all tables, in their order. */
export async function configurationChecksums(
  tables: TableKeys,
  database: Database,
): Promise<TableChecksum[]> {
  const checksums: TableChecksum[] = [];
  for (const [table, keys] of Object.entries(tables)) {
    let count = 0;
    let sum = 0n;
    for await (const rows of pagesOf(database, table, keys)) {
      count += rows.length;
      for (const row of rows) sum += hashOf(row);
    }
    checksums.push({ table, count, checksum: String(sum) });
  }
  return checksums;
}

/** A sum does not depend on the order of rows, nor on that of columns, which migrations may have changed. */
function hashOf(row: Row): bigint {
  const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('md5').update(text).digest().readBigUInt64LE();
}

async function* pagesOf(database: Database, table: string, keys: readonly string[]): AsyncGenerator<Row[]> {
  const columns = sql.join(keys.map((key) => sql.ref(key)));
  let last: Row | undefined;
  do {
    let query = (database as unknown as AnyDatabase).selectFrom(table).selectAll();
    if (last !== undefined) {
      const values = keys.map((key) => (last as Row)[key]);
      query = query.where(sql<boolean>`(${columns}) > (${sql.join(values)})`);
    }
    for (const key of keys) query = query.orderBy(key);
    const rows = await query.limit(PAGE_ROWS).execute();
    if (rows.length > 0) yield rows;
    last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
  } while (last !== undefined);
}
