import type { SchemaModule } from 'kysely';
import type { Migration } from './migration.ts';

export const accountsMigration: Migration = {
  name: '015-accounts',
  async up(schema) {
    await createAccounts(schema);
    await createSessions(schema);
    await createTokens(schema);
    await createInvitations(schema);
  },
};

async function createAccounts(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('is_owner', 'integer', (column) => column.notNull())
    .addColumn('two_factor_secret', 'text')
    .addColumn('two_factor_confirmed_at', 'bigint')
    .addColumn('two_factor_last_step', 'bigint')
    .addColumn('oidc_issuer', 'text')
    .addColumn('oidc_subject', 'text')
    .addColumn('disabled_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('accounts_oidc', ['oidc_issuer', 'oidc_subject'])
    .execute();
  await schema
    .createTable('recovery_codes')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pk', ['account_id', 'hash'])
    .execute();
}

async function createSessions(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('account_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('user_agent', 'text')
    .addColumn('address', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('account_sessions_by_account')
    .on('account_sessions')
    .columns(['account_id', 'last_seen_at'])
    .execute();
}

async function createTokens(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('access_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('last_four', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('properties', 'text')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await schema
    .createIndex('access_tokens_by_account')
    .on('access_tokens')
    .columns(['account_id', 'created_at'])
    .execute();
}

async function createInvitations(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('property_id', 'text', (column) =>
      column.notNull().references('properties.id').onDelete('cascade'),
    )
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('invited_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await schema
    .createIndex('invitations_by_property')
    .on('invitations')
    .columns(['property_id', 'created_at'])
    .execute();
}
