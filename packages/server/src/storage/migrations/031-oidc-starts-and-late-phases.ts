import type { Migration } from './migration.ts';

/**
 * Sign-ins with OpenID Connect that were started, so that each can be finished once; and when a phase began in fact, if
 * its schedule came due while no server ran.
 */
export const oidcStartsAndLatePhasesMigration: Migration = {
  name: '031-oidc-starts-and-late-phases',
  async up(schema) {
    await schema
      .createTable('oidc_starts')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('oidc_starts_by_time').on('oidc_starts').column('created_at').execute();
    await schema.alterTable('split_test_phases').addColumn('served_from', 'bigint').execute();
  },
};
