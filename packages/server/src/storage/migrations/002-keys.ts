import type { Migration } from './migration.ts';

export const keysMigration: Migration = {
  name: '002-keys',
  async up(schema) {
    await schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('last_four', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text')
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('api_keys_kind_name', ['property_id', 'kind', 'name'])
      .execute();
  },
};
