import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { ClickHouse } from '../connection/clickhouse-client.ts';
import { migrateTables } from './migrate-tables.ts';
import { COLUMNS } from './table-columns.ts';

const engine = inject('clickhouseUrl');

describe.skipIf(engine === undefined)('the tables in ClickHouse', () => {
  let database: string;
  let clickhouse: ClickHouse;
  beforeEach(() => {
    database = `test_${randomUUID().replaceAll('-', '')}`;
    // Long, because other tests may keep the machine busy.
    const timeouts = { pingTimeoutMs: 60_000, requestTimeoutMs: 600_000 };
    clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...timeouts });
  });
  afterEach(async () => {
    await clickhouse.command(`DROP DATABASE IF EXISTS ${database}`);
    await clickhouse.close();
  });

  test('are after all migrations those that the code knows', async () => {
    await migrateTables(clickhouse);
    const columns = await clickhouse.rows<[string, string[]]>(
      `SELECT table, groupArray(name) FROM (
         SELECT table, name FROM system.columns
         WHERE database = {database:String} AND default_kind = '' ORDER BY table, position)
       GROUP BY table`,
      { database },
    );
    expect(Object.fromEntries(columns)).toEqual(COLUMNS);
  });

  test('are created once, and refused if a newer version has changed them', async () => {
    await Promise.all([migrateTables(clickhouse), migrateTables(clickhouse)]);
    await migrateTables(clickhouse);
    await clickhouse.insert('schema_versions', ['version'], [[99]], 'newer');
    await expect(migrateTables(clickhouse)).rejects.toMatchObject({ code: 'UNKNOWN_SCHEMA' });
  });
});
