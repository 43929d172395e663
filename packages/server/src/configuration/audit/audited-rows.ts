import type { Database } from '../database/database.ts';
import type { AuditKind } from '../database/tables/history-tables.ts';

/** What must not change unnoticed. */
export interface AuditedRow {
  subject: string;
  content: readonly unknown[];
}

interface Audited {
  /** The noun in messages. */
  noun: string;
  list(database: Database): Promise<AuditedRow[]>;
  find(database: Database, subject: string): Promise<AuditedRow | undefined>;
}

const keys = (database: Database) =>
  database.selectFrom('api_keys').select(['id', 'property_id', 'kind', 'hash', 'public_key']);

const members = (database: Database) =>
  database.selectFrom('members').select(['property_id', 'account_id', 'role']);

const accounts = (database: Database) =>
  database
    .selectFrom('accounts')
    .select([
      'id',
      'email',
      'password_hash',
      'is_owner',
      'disabled_at',
      'two_factor_secret',
      'two_factor_confirmed_at',
      'oidc_issuer',
      'oidc_subject',
    ]);

const tokens = (database: Database) =>
  database
    .selectFrom('access_tokens')
    .select(['id', 'account_id', 'hash', 'role', 'properties', 'expires_at']);

type RowOf<T extends (database: Database) => { execute(): Promise<unknown[]> }> = Awaited<
  ReturnType<ReturnType<T>['execute']>
>[number];

const keyRow = (row: RowOf<typeof keys>): AuditedRow => ({
  subject: row.id,
  content: [row.property_id, row.kind, row.hash, row.public_key],
});

const memberRow = (row: RowOf<typeof members>): AuditedRow => ({
  subject: memberSubject(row.property_id, row.account_id),
  content: [row.role],
});

/** The secret of an enrolment that is not finished gives no access. */
const accountRow = (row: RowOf<typeof accounts>): AuditedRow => ({
  subject: row.id,
  content: [
    row.email,
    row.password_hash,
    row.is_owner,
    row.disabled_at,
    row.two_factor_confirmed_at === null ? null : row.two_factor_secret,
    row.two_factor_confirmed_at,
    row.oidc_issuer,
    row.oidc_subject,
  ],
});

const tokenRow = (row: RowOf<typeof tokens>): AuditedRow => ({
  subject: row.id,
  content: [row.account_id, row.hash, row.role, row.properties, row.expires_at],
});

/** Ids have no slash. */
export const memberSubject = (propertyId: string, accountId: string): string => `${propertyId}/${accountId}`;

export const AUDITED: { readonly [Kind in AuditKind]: Audited } = {
  key: {
    noun: 'API key',
    list: async (database) => (await keys(database).execute()).map(keyRow),
    find: async (database, id) => {
      const row = await keys(database).where('id', '=', id).executeTakeFirst();
      return row && keyRow(row);
    },
  },
  member: {
    noun: 'membership',
    list: async (database) => (await members(database).execute()).map(memberRow),
    find: async (database, subject) => {
      const [propertyId = '', accountId = ''] = subject.split('/');
      const row = await members(database)
        .where('property_id', '=', propertyId)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row && memberRow(row);
    },
  },
  account: {
    noun: 'account',
    list: async (database) => (await accounts(database).execute()).map(accountRow),
    find: async (database, id) => {
      const row = await accounts(database).where('id', '=', id).executeTakeFirst();
      return row && accountRow(row);
    },
  },
  token: {
    noun: 'access token',
    list: async (database) => (await tokens(database).execute()).map(tokenRow),
    find: async (database, id) => {
      const row = await tokens(database).where('id', '=', id).executeTakeFirst();
      return row && tokenRow(row);
    },
  },
};
