import type { Migration } from './migration.ts';

/** The zone of days in reports; they were those of UTC. */
export const timeZoneMigration: Migration = {
  name: '029-time-zone',
  async up(schema) {
    await schema
      .alterTable('properties')
      .addColumn('time_zone', 'text', (column) => column.notNull().defaultTo('UTC'))
      .execute();
  },
};
