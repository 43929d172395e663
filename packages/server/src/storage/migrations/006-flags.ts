import type { Migration } from './migration.ts';

export const flagsMigration: Migration = {
  name: '006-flags',
  async up(schema) {
    await schema
      .createTable('flags')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('default_value', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('flags_key', ['property_id', 'key'])
      .execute();
    await schema
      .createTable('flag_configurations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('flag_id', 'text', (column) => column.notNull().references('flags.id').onDelete('cascade'))
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('environment_id', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('rules', 'text', (column) => column.notNull())
      .addColumn('prerequisites', 'text', (column) => column.notNull())
      .addUniqueConstraint('flag_configurations_environment', ['flag_id', 'environment_id'])
      .addForeignKeyConstraint(
        'flag_configurations_environment_fk',
        ['property_id', 'environment_id'],
        'environments',
        ['property_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await schema
      .createIndex('flag_configurations_by_environment')
      .on('flag_configurations')
      .columns(['property_id', 'environment_id'])
      .execute();
    await schema
      .createTable('segments')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('match', 'text')
      .addColumn('conditions', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('segments_pk', ['property_id', 'id'])
      .execute();
  },
};
