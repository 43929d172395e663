import type { Migration } from './migration.ts';

const VERSIONED = ['environments', 'goals', 'feedback_types', 'split_tests', 'segments'];

export const historyMigration: Migration = {
  name: '014-history',
  async up(schema) {
    for (const table of VERSIONED) {
      await schema
        .alterTable(table)
        .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
        .execute();
    }
    await schema
      .createTable('members')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('members_pk', ['property_id', 'account_id'])
      .execute();
    await schema
      .createTable('webhooks')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('webhooks_pk', ['property_id', 'id'])
      .execute();
    // No foreign key: the history outlives its property.
    await schema
      .createTable('history')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('sequence', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor_type', 'text', (column) => column.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('actor_name', 'text', (column) => column.notNull())
      .addColumn('via', 'text', (column) => column.notNull())
      .addColumn('entity_type', 'text', (column) => column.notNull())
      .addColumn('entity_key', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('comment', 'text')
      .addColumn('changes', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('property_version', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addUniqueConstraint('history_chain', ['property_id', 'sequence'])
      .execute();
    await schema
      .createIndex('history_of_item')
      .on('history')
      .columns(['property_id', 'entity_type', 'entity_key', 'sequence'])
      .execute();
    await schema
      .createIndex('history_of_version')
      .on('history')
      .columns(['property_id', 'property_version', 'sequence'])
      .execute();
    await schema
      .createTable('history_snapshots')
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('sequence', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('history_snapshots_pk', ['property_id', 'sequence'])
      .execute();
    await schema
      .createTable('proposals')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('collection', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('body', 'text')
      .addColumn('base_version', 'integer')
      .addColumn('comment', 'text')
      .addColumn('summary', 'text', (column) => column.notNull())
      .addColumn('author_id', 'text')
      .addColumn('author_name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_by', 'text')
      .addColumn('decided_at', 'bigint')
      .execute();
    await schema
      .createIndex('proposals_by_property')
      .on('proposals')
      .columns(['property_id', 'created_at'])
      .execute();
    await schema
      .createTable('created_resources')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('response', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
