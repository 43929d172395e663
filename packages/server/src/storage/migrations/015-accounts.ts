import type { Migration } from './migration.ts';

export const accountsMigration: Migration = {
  name: '015-accounts',
  async up() {},
};
