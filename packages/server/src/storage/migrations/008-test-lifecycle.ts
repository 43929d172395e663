import { randomBytes } from 'node:crypto';
import type { Kysely, SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

export const testLifecycleMigration: Migration = {
  name: '008-test-lifecycle',
  async up(schema, database) {
    await addColumns(schema);
    await schema
      .createTable('split_test_phases')
      .addColumn('split_test_id', 'text', (column) =>
        column.notNull().references('split_tests.id').onDelete('cascade'),
      )
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('reasons', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('split_test_phases_pk', ['split_test_id', 'number'])
      .execute();
    await schema
      .createIndex('split_test_phases_by_property')
      .on('split_test_phases')
      .column('property_id')
      .execute();
    const tables = database as Kysely<TablesBefore>;
    await generateSeeds(tables);
    await openFirstPhases(tables);
  },
};

async function addColumns(schema: SchemaModule): Promise<void> {
  const add = (table: string, name: string, type: 'text' | 'integer' | 'bigint' | 'double precision') =>
    schema.alterTable(table).addColumn(name, type).execute();
  const addFilled = (
    table: string,
    name: string,
    type: 'text' | 'integer' | 'double precision',
    value: unknown,
  ) =>
    schema
      .alterTable(table)
      .addColumn(name, type, (column) => column.notNull().defaultTo(value))
      .execute();
  await addFilled('properties', 'hash_seed', 'text', '');
  await addFilled('properties', 'holdout', 'double precision', 0);
  await add('properties', 'statistics', 'text');
  await addFilled('goals', 'lower_is_better', 'integer', 0);
  await addFilled('split_test_goals', 'role', 'text', 'goal');
  await add('split_tests', 'exclusion', 'text');
  await add('split_tests', 'start_at', 'bigint');
  await add('split_tests', 'stop_at', 'bigint');
  await add('split_tests', 'winner', 'text');
  await addFilled('split_tests', 'attribution_days', 'integer', 7);
  await add('split_tests', 'planned_visitors', 'bigint');
  await add('split_tests', 'smallest_effect', 'double precision');
}

interface TablesBefore {
  properties: { id: string; hash_seed: string };
  split_tests: {
    id: string;
    property_id: string;
    status: string;
    hash_seed: string;
    traffic_allocation: number;
    variations: string;
    created_at: number;
    updated_at: number;
  };
  split_test_phases: {
    split_test_id: string;
    property_id: string;
    number: number;
    started_at: number;
    ended_at: number | null;
    reasons: string;
    definition: string;
  };
}

async function generateSeeds(database: Kysely<TablesBefore>): Promise<void> {
  for (const { id } of await database.selectFrom('properties').select('id').execute()) {
    const seed = randomBytes(8).toString('hex');
    await database.updateTable('properties').set({ hash_seed: seed }).where('id', '=', id).execute();
  }
}

/** Earlier changes were not recorded, so a test gets a single phase that starts at its creation. */
async function openFirstPhases(database: Kysely<TablesBefore>): Promise<void> {
  const tests = await database.selectFrom('split_tests').selectAll().where('status', '<>', 'draft').execute();
  for (const test of tests) {
    const goesOn = test.status === 'running' || test.status === 'paused';
    await database
      .insertInto('split_test_phases')
      .values({
        split_test_id: test.id,
        property_id: test.property_id,
        number: 1,
        started_at: test.created_at,
        ended_at: goesOn ? null : test.updated_at,
        reasons: '["started"]',
        definition: JSON.stringify({
          hashSeed: test.hash_seed,
          trafficAllocation: test.traffic_allocation,
          variations: JSON.parse(test.variations),
          exclusion: null,
          holdout: null,
        }),
      })
      .execute();
  }
}
