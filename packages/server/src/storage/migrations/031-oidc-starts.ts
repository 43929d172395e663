import type { Migration } from './migration.ts';

/** Sign-ins with OpenID Connect that were started, so that each can be finished once. */
export const oidcStartsMigration: Migration = {
  name: '031-oidc-starts',
  async up(schema) {
    await schema
      .createTable('oidc_starts')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
