import type { Migration } from './migration.ts';

export const erasuresMigration: Migration = {
  name: '007-erasures',
  async up(schema) {
    await schema
      .createTable('erasures')
      .addColumn('id', 'text', (column) => column.primaryKey())
      // No foreign key: the record of an erasure outlives the property.
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('requested_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('rows', 'bigint')
      .addColumn('error', 'text')
      .execute();
    await schema.createIndex('erasures_by_finish').on('erasures').column('finished_at').execute();
  },
};
