import type { Migration } from './migration.ts';

/** Metrics, and the split tests that are measured by them. */
export const metricsMigration: Migration = {
  name: '005-metrics',
  async up(schema) {
    await schema
      .createTable('metrics')
      .addColumn('property_id', 'text', (column) =>
        column.notNull().references('properties.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('tags', 'text', (column) => column.notNull().defaultTo('[]'))
      .addColumn('lower_is_better', 'integer', (column) => column.notNull())
      .addColumn('cap', 'double precision')
      .addColumn('format', 'text')
      .addColumn('computation', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('metrics_pk', ['property_id', 'id'])
      .execute();
    // position counts together with that of split_test_goals and split_test_feedback: all are in one list.
    await schema
      .createTable('split_test_metrics')
      .addColumn('split_test_id', 'text', (column) =>
        column.notNull().references('split_tests.id').onDelete('cascade'),
      )
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('metric_id', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('max_harm', 'double precision')
      .addPrimaryKeyConstraint('split_test_metrics_pk', ['split_test_id', 'metric_id'])
      .addForeignKeyConstraint('split_test_metrics_metric', ['property_id', 'metric_id'], 'metrics', [
        'property_id',
        'id',
      ])
      .execute();
    await schema
      .createIndex('split_test_metrics_by_metric')
      .on('split_test_metrics')
      .columns(['property_id', 'metric_id'])
      .execute();
  },
};
