import { randomBytes } from 'node:crypto';
import { DAY_MS } from '@switchyard/core/time';
import { hashCredential } from '../../configuration/database/credential-text.ts';
import { type Database, newId } from '../../configuration/database/database.ts';

export const SESSION_LIMITS = { idleMs: 14 * DAY_MS, absoluteMs: 90 * DAY_MS };
/** The sessions used longest ago end when an account has more. */
const MAX_SESSIONS = 50;
const MAX_USER_AGENT_LENGTH = 200;

export interface SessionOrigin {
  userAgent: string | undefined;
  address: string;
}

interface SessionRow {
  id: string;
  createdAt: number;
  lastSeenAt: number;
  userAgent: string | null;
  address: string;
}

/** Starts a session and returns the value of its cookie, which is not stored. */
export async function createSession(
  database: Database,
  accountId: string,
  { userAgent, address }: SessionOrigin,
): Promise<string> {
  const cookie = randomBytes(32).toString('base64url');
  const now = Date.now();
  await database
    .insertInto('account_sessions')
    .values({
      id: newId('ses'),
      hash: hashCredential(cookie),
      account_id: accountId,
      created_at: now,
      last_seen_at: now,
      user_agent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed() ?? null,
      address,
    })
    .execute();
  await deleteExcess(database, accountId);
  return cookie;
}

export async function deleteExpiredSessions(database: Database): Promise<void> {
  const now = Date.now();
  await database
    .deleteFrom('account_sessions')
    .where(({ eb, or }) =>
      or([
        eb('created_at', '<=', now - SESSION_LIMITS.absoluteMs),
        eb('last_seen_at', '<=', now - SESSION_LIMITS.idleMs),
      ]),
    )
    .execute();
}

async function deleteExcess(database: Database, accountId: string): Promise<void> {
  const excess = await database
    .selectFrom('account_sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(MAX_SESSIONS)
    .offset(MAX_SESSIONS)
    .execute();
  for (const { id } of excess) await deleteSession(database, accountId, id);
}

/** The session of a cookie with its account, unless it has expired or the account is disabled. */
export function findSession(database: Database, cookie: string) {
  return validSessions(database)
    .where('account_sessions.hash', '=', hashCredential(cookie))
    .executeTakeFirst();
}

/** Those of the sessions that have not ended. */
export function findSessions(database: Database, ids: readonly string[]) {
  return validSessions(database).where('account_sessions.id', 'in', ids).execute();
}

function validSessions(database: Database) {
  const now = Date.now();
  return database
    .selectFrom('account_sessions')
    .innerJoin('accounts', 'accounts.id', 'account_sessions.account_id')
    .select([
      'account_sessions.id as id',
      'account_sessions.last_seen_at as lastSeenAt',
      'accounts.id as accountId',
      'accounts.email as email',
      'accounts.name as name',
      'accounts.is_owner as isOwner',
    ])
    .where('account_sessions.created_at', '>', now - SESSION_LIMITS.absoluteMs)
    .where('account_sessions.last_seen_at', '>', now - SESSION_LIMITS.idleMs)
    .where('accounts.disabled_at', 'is', null);
}

export async function touchSession(database: Database, id: string, at: number): Promise<void> {
  await database.updateTable('account_sessions').set({ last_seen_at: at }).where('id', '=', id).execute();
}

/** Newest use first. */
export async function listSessions(database: Database, accountId: string): Promise<SessionRow[]> {
  const now = Date.now();
  const rows = await database
    .selectFrom('account_sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('created_at', '>', now - SESSION_LIMITS.absoluteMs)
    .where('last_seen_at', '>', now - SESSION_LIMITS.idleMs)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .limit(MAX_SESSIONS)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    userAgent: row.user_agent,
    address: row.address,
  }));
}

/** Returns false if the account has no such session. */
export async function deleteSession(database: Database, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('account_sessions')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteSessionByCookie(database: Database, cookie: string): Promise<void> {
  await database.deleteFrom('account_sessions').where('hash', '=', hashCredential(cookie)).execute();
}

export async function deleteSessions(database: Database, accountId: string): Promise<void> {
  await database.deleteFrom('account_sessions').where('account_id', '=', accountId).execute();
}
