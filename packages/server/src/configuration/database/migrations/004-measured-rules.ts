import type { Migration } from './migration.ts';

/** What the rules of flags are measured by, and in which periods; whether evaluations are recorded by default. */
export const measuredRulesMigration: Migration = {
  name: '004-measured-rules',
  async up(schema) {
    await schema
      .createTable('measured_rules')
      .addColumn('configuration_id', 'text', (column) =>
        column.notNull().references('flag_configurations.id').onDelete('cascade'),
      )
      .addColumn('rule_id', 'text', (column) => column.notNull())
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('measure', 'text', (column) => column.notNull())
      .addColumn('winner', 'text')
      .addColumn('phases', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('measured_rules_pk', ['configuration_id', 'rule_id'])
      .execute();
    await schema
      .createIndex('measured_rules_by_property')
      .on('measured_rules')
      .column('property_id')
      .execute();
    await schema
      .alterTable('properties')
      .addColumn('record_evaluations', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
