import type { Migration } from './migration.ts';

export const aaTestMigration: Migration = {
  name: '012-aa-test',
  async up(schema) {
    await schema
      .alterTable('properties')
      .addColumn('aa_test', 'text', (column) => column.notNull().defaultTo('assignment'))
      .execute();
    await schema
      .createTable('aa_verdicts')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('round', 'integer', (column) => column.notNull())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('verdict', 'text', (column) => column.notNull())
      .addColumn('words', 'text', (column) => column.notNull())
      .addColumn('visitors_a', 'bigint', (column) => column.notNull())
      .addColumn('visitors_b', 'bigint', (column) => column.notNull())
      .addColumn('split_p_value', 'double precision')
      .addColumn('goals', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('aa_verdicts_pk', ['property_id', 'day'])
      .execute();
  },
};
