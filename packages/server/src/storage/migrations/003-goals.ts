import type { Migration } from './migration.ts';

export const goalsMigration: Migration = {
  name: '003-goals',
  async up(schema) {
    await schema
      .createTable('goals')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('goals_pk', ['property_id', 'id'])
      .execute();
  },
};
