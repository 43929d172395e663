import type { Migration } from './migration.ts';

export const modelMembersMigration: Migration = {
  name: '013-model-members',
  async up() {},
};
