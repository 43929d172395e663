import type { Migration } from './migration.ts';

export const feedbackOutcomesMigration: Migration = {
  name: '011-feedback-outcomes',
  async up(schema) {
    // `position` is shared with `split_test_goals`, so that goals and feedback can be mixed in a list.
    await schema
      .createTable('split_test_feedback')
      .addColumn('split_test_id', 'text', (column) =>
        column.notNull().references('split_tests.id').onDelete('cascade'),
      )
      .addColumn('property_id', 'text', (column) => column.notNull())
      .addColumn('feedback_type_id', 'text', (column) => column.notNull())
      .addColumn('option', 'text')
      .addColumn('lower_is_better', 'integer', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('split_test_feedback_pk', ['split_test_id', 'position'])
      .addForeignKeyConstraint(
        'split_test_feedback_type',
        ['property_id', 'feedback_type_id'],
        'feedback_types',
        ['property_id', 'id'],
      )
      .execute();
    await schema
      .createIndex('split_test_feedback_by_type')
      .on('split_test_feedback')
      .columns(['property_id', 'feedback_type_id'])
      .execute();
  },
};
