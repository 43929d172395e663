import type { Kysely, SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

export const usageMigration: Migration = {
  name: '017-usage',
  async up(schema, database) {
    await createFlagUsage(schema);
    await schema
      .createTable('credential_usage')
      // No foreign key: API keys and access tokens are in different tables.
      .addColumn('credential_id', 'text', (column) => column.primaryKey())
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .execute();
    await createFeedbackStates(schema);
    // A flag can only be called unused if it was counted long enough.
    await schema
      .createTable('usage_start')
      .addColumn('counting_since', 'bigint', (column) => column.notNull())
      .execute();
    await (database as Kysely<NewTables>)
      .insertInto('usage_start')
      .values({ counting_since: Date.now() })
      .execute();
  },
};

interface NewTables {
  usage_start: { counting_since: number };
}

async function createFlagUsage(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('flag_usage')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('environment_id', 'text', (column) => column.notNull())
    .addColumn('flag_key', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('flag_usage_pk', ['property_id', 'hour', 'environment_id', 'flag_key', 'value'])
    .execute();
  await schema
    .createTable('flag_latest_values')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('environment_id', 'text', (column) => column.notNull())
    .addColumn('flag_key', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('flag_latest_values_pk', ['property_id', 'environment_id', 'flag_key'])
    .execute();
  await schema
    .createTable('usage_reports')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('report_id', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_reports_pk', ['property_id', 'report_id'])
    .execute();
  await schema
    .createIndex('usage_reports_by_time')
    .on('usage_reports')
    .columns(['property_id', 'received_at'])
    .execute();
}

async function createFeedbackStates(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('feedback_states')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('feedback_id', 'text', (column) => column.notNull())
    .addColumn('feedback_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('notes', 'text')
    .addColumn('updated_by', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_states_pk', ['property_id', 'feedback_id'])
    .execute();
  await schema
    .createIndex('feedback_states_by_time')
    .on('feedback_states')
    .columns(['property_id', 'status', 'feedback_at', 'feedback_id'])
    .execute();
}
