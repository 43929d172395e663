import type { Migration } from './migration.ts';

/** What the texts of a flag are, and which of them are valid. */
export const flagFormatsMigration: Migration = {
  name: '003-flag-formats',
  async up(schema) {
    await schema.alterTable('flags').addColumn('format', 'text').execute();
    await schema.alterTable('flags').addColumn('schema', 'text').execute();
  },
};
