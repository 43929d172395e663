import type { Migration } from './migration.ts';

export const feedbackMigration: Migration = {
  name: '004-feedback',
  async up(schema) {
    await schema
      .createTable('feedback_types')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('options', 'text', (column) => column.notNull())
      .addColumn('text_input', 'integer', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('feedback_types_pk', ['property_id', 'id'])
      .execute();
  },
};
