import type { Migration } from './migration.ts';

export const usageMigration: Migration = {
  name: '017-usage',
  async up() {},
};
