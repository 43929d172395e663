import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Since when the present holdout is in force, and the largest percentage since then. */
export const holdoutPeriodMigration: Migration = {
  name: '022-holdout-period',
  async up(schema, database) {
    await schema.alterTable('properties').addColumn('holdout_since', 'bigint').execute();
    await schema.alterTable('properties').addColumn('holdout_largest', 'double precision').execute();
    // It may be older, but it has not changed since the property was last saved.
    await (database as Kysely<ChangedTables>)
      .updateTable('properties')
      .set({ holdout_since: sql`updated_at`, holdout_largest: sql`holdout` })
      .where('holdout', '>', 0)
      .execute();
  },
};

interface ChangedTables {
  properties: { holdout: number; holdout_since: number; holdout_largest: number };
}
