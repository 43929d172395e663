import type { Migration } from './migration.ts';

/** What a property records of URLs, texts and people, and the secrets of the daily ids of pages without cookies. */
export const privacySettingsMigration: Migration = {
  name: '026-privacy-settings',
  async up(schema) {
    await schema.alterTable('properties').addColumn('privacy', 'text').execute();
    await schema
      .createTable('daily_salts')
      .addColumn('day', 'bigint', (column) => column.primaryKey())
      .addColumn('salt', 'text', (column) => column.notNull())
      .execute();
  },
};
