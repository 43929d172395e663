import type { Migration } from './migration.ts';

/** Who was erased, as salted hashes: their late events are not stored. */
export const suppressionsMigration: Migration = {
  name: '025-suppressions',
  async up(schema) {
    await schema
      .createTable('suppressions')
      // No foreign key: a property may be created again under the same id.
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('suppressions_key', ['property_id', 'hash'])
      .execute();
    await schema.createIndex('suppressions_by_revision').on('suppressions').column('revision').execute();
    await schema
      .createTable('suppression_state')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('salt', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('lifted', 'bigint', (column) => column.notNull())
      .execute();
  },
};
