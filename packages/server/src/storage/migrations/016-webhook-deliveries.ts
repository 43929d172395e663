import type { SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

export const webhookDeliveriesMigration: Migration = {
  name: '016-webhook-deliveries',
  async up(schema) {
    await createDeliveries(schema);
    await createWatches(schema);
  },
};

async function createDeliveries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('property_id', 'text', (column) => column.notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('dedupe_key', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('queued_at', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('last_response', 'text')
    .addColumn('session_id', 'text')
    .addColumn('visitor_id', 'text')
    .addColumn('user_id', 'text')
    .addUniqueConstraint('webhook_deliveries_once', ['property_id', 'webhook_id', 'dedupe_key'])
    .addForeignKeyConstraint(
      'webhook_deliveries_webhook',
      ['property_id', 'webhook_id'],
      'webhooks',
      ['property_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['state', 'next_attempt_at'])
    .execute();
  await schema
    .createIndex('webhook_deliveries_of_webhook')
    .on('webhook_deliveries')
    .columns(['property_id', 'webhook_id', 'position'])
    .execute();
}

async function createWatches(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhook_feedback_positions')
    .addColumn('property_id', 'text', (column) => column.notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_feedback_positions_pk', ['property_id', 'webhook_id'])
    .addForeignKeyConstraint(
      'webhook_feedback_positions_webhook',
      ['property_id', 'webhook_id'],
      'webhooks',
      ['property_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema
    .createTable('webhook_test_states')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('split_test_id', 'text', (column) => column.notNull())
    .addColumn('phase', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('decision', 'text')
    .addColumn('variation', 'text')
    .addColumn('healthy', 'integer', (column) => column.notNull())
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_test_states_pk', ['property_id', 'split_test_id'])
    .execute();
  await schema
    .createTable('webhook_goal_targets')
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('goal_id', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('period_start', 'bigint', (column) => column.notNull())
    .addColumn('value', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_goal_targets_pk', ['property_id', 'goal_id'])
    .execute();
}
