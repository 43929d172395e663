import { type Engine, engines } from '@switchyard/testing/configuration/databases';
import { expect, test } from 'vitest';
import type { Database } from '../../configuration/database/database.ts';
import { configurationModel } from '../../start/definitions.ts';
import { compareConfiguration } from './compare.ts';
import { configurationTables } from './configuration-tables.ts';
import { copyConfiguration } from './copy-configuration.ts';

const TABLES = configurationTables(configurationModel);

/** More than are read at a time, with values that engines store differently. */
async function fill(database: Database): Promise<void> {
  await database
    .insertInto('properties')
    .values({
      id: 'shop',
      name: 'é, 😀 and \uF8FF',
      retention_days: null,
      allowed_origins: null,
      hash_seed: 's',
      holdout: 0.1,
      statistics: null,
      version: 1,
      position: 1,
      created_at: 1_794_836_223_292,
      updated_at: 2,
    })
    .execute();
  for (let hour = 0; hour < 600; hour++) {
    await database
      .insertInto('flag_usage')
      .values({
        property_id: 'shop',
        hour,
        environment_id: hour % 2 ? 'a' : 'B',
        flag_key: 'f',
        value: 'true',
        count: hour,
        last_at: hour,
      })
      .execute();
  }
}

/** Each engine to the next; without PostgreSQL, SQLite to itself. */
const pairs = () => engines().map((from, i, all) => ({ from, to: all.at(i - 1) as Engine }));

test.each(pairs())(
  'copies all tables from $from.name to $to.name, and notices a changed row',
  async ({ from, to }) => {
    const [origin, target] = [await from.openTemporary(), await to.openTemporary()];
    try {
      const tables = (await origin.database.introspection.getTables()).map(({ name }) => name);
      // Nodes write their positions there; they belong to the installation that is left.
      const copied = tables.filter((name) => name !== 'node_journals' && name !== 'daily_salts');
      expect(Object.keys(TABLES).sort()).toEqual(copied.sort());
      await fill(origin.database);
      const differing = async () =>
        (await compareConfiguration(TABLES, origin.database, target.database)).map(({ what }) => what);
      expect(await differing()).toContain('table flag_usage');
      for (let run = 0; run < 2; run++) {
        await target.database
          .transaction()
          .execute((transaction) => copyConfiguration(TABLES, origin.database, transaction));
        expect(await differing()).toEqual([]);
      }
      await target.database.updateTable('flag_usage').set({ count: 7 }).where('hour', '=', 599).execute();
      expect(await compareConfiguration(TABLES, origin.database, target.database)).toEqual([
        { what: 'table flag_usage', from: 600, to: 600 },
      ]);
    } finally {
      await origin.close();
      await target.close();
    }
  },
);
