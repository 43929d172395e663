import type { Migration } from './migration.ts';

export const splitTestsMigration: Migration = {
  name: '005-split-tests',
  async up(schema) {
    await schema
      .createTable('split_tests')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('hash_seed', 'text', (column) => column.notNull())
      .addColumn('traffic_allocation', 'double precision', (column) => column.notNull())
      .addColumn('variations', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('split_tests_key', ['property_id', 'key'])
      .execute();
    await schema
      .createTable('split_test_goals')
      .addColumn('split_test_id', 'text', (column) =>
        column.notNull().references('split_tests.id').onDelete('cascade'),
      )
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('goal_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('split_test_goals_pk', ['split_test_id', 'goal_id'])
      .addForeignKeyConstraint('split_test_goals_goal', ['property_id', 'goal_id'], 'goals', [
        'property_id',
        'id',
      ])
      .execute();
    await schema
      .createIndex('split_test_goals_by_goal')
      .on('split_test_goals')
      .columns(['property_id', 'goal_id'])
      .execute();
  },
};
