import type { AccessToken, CreateTokenBody } from '@switchyard/core/api/access-tokens';
import type { Selectable } from 'kysely';
import { recordAudited } from '../../configuration/audit/audit-log.ts';
import {
  credentialPreview,
  generateCredential,
  hashCredential,
} from '../../configuration/database/credential-text.ts';
import { type Database, newId } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';

export const MAX_TOKENS = 100;

/** In the caller's transaction. Stores a token and returns its text, of which only a hash and a preview are stored. */
export async function createToken(
  database: Database,
  accountId: string,
  prefix: string,
  { name, role, properties, expiresAt }: CreateTokenBody,
): Promise<{ token: AccessToken; text: string }> {
  const text = generateCredential(prefix);
  const preview = credentialPreview(text);
  const row = {
    id: newId('tok'),
    account_id: accountId,
    name,
    hash: hashCredential(text),
    prefix: preview.prefix,
    last_four: preview.lastFour,
    role,
    properties: properties === undefined ? null : JSON.stringify(properties),
    expires_at: expiresAt,
    created_at: Date.now(),
    last_used_at: null,
  };
  await database.insertInto('access_tokens').values(row).execute();
  await recordAudited(database, 'token', [row.id]);
  return { token: toToken(row), text };
}

/** Newest first; expired ones too. */
export async function listTokens(database: Database, accountId: string): Promise<AccessToken[]> {
  const rows = await database
    .selectFrom('access_tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_TOKENS)
    .execute();
  return rows.map(toToken);
}

export async function countTokens(database: Database, accountId: string): Promise<number> {
  const { count } = await database
    .selectFrom('access_tokens')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The token with its account, unless it has expired or the account is disabled. */
export function findToken(database: Database, text: string) {
  return validTokens(database).where('access_tokens.hash', '=', hashCredential(text)).executeTakeFirst();
}

/** Those of the tokens that are still valid. */
export function findTokens(database: Database, ids: readonly string[]) {
  return validTokens(database).where('access_tokens.id', 'in', ids).execute();
}

function validTokens(database: Database) {
  return database
    .selectFrom('access_tokens')
    .innerJoin('accounts', 'accounts.id', 'access_tokens.account_id')
    .select([
      'access_tokens.id as id',
      'access_tokens.name as tokenName',
      'access_tokens.role as role',
      'access_tokens.properties as properties',
      'access_tokens.last_used_at as lastUsedAt',
      'accounts.id as accountId',
      'accounts.email as email',
      'accounts.name as name',
      'accounts.is_owner as isOwner',
    ])
    .where('access_tokens.expires_at', '>', Date.now())
    .where('accounts.disabled_at', 'is', null);
}

export async function touchToken(database: Database, id: string, at: number): Promise<void> {
  await database.updateTable('access_tokens').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Returns false if the account has no such token. */
export async function deleteToken(database: Database, accountId: string, id: string): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('access_tokens')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await recordAudited(transaction, 'token', [id]);
    return true;
  });
}

/** All tokens of an account, in the caller's transaction; returns their ids. */
export async function deleteTokens(transaction: Database, accountId: string): Promise<string[]> {
  const rows = await transaction
    .deleteFrom('access_tokens')
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  await recordAudited(transaction, 'token', ids);
  return ids;
}

function toToken(row: Selectable<DatabaseTables['access_tokens']>): AccessToken {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    properties: row.properties === null ? null : JSON.parse(row.properties),
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    prefix: row.prefix,
    lastFour: row.last_four,
  };
}
