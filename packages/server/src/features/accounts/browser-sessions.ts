import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { readCookie, SESSION_COOKIE, setCookie } from '../../http/access/session-cookie.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import {
  createSession,
  deleteExpiredSessions,
  deleteSessionByCookie,
  SESSION_LIMITS,
} from './account-session-store.ts';
import { findAccount, type StoredAccount } from './account-store.ts';

type ProvenAccount = Pick<StoredAccount, 'id' | 'passwordHash'>;

/** Starts and ends the session of the browser that sends a request. */
export class BrowserSessions {
  readonly #database: Database;
  readonly #publicUrl: string | undefined;
  readonly #accessChanged: () => Promise<void>;

  constructor(database: Database, publicUrl: string | undefined, accessChanged: () => Promise<void>) {
    this.#database = database;
    this.#publicUrl = publicUrl;
    this.#accessChanged = accessChanged;
  }

  /**
   * Always a new session: one that was known before signing in must not become more powerful.
   *
   * @param account as it was when the caller proved to be its owner
   */
  async start(request: FastifyRequest, reply: FastifyReply, account: ProvenAccount): Promise<void> {
    await this.#deleteCurrent(request);
    const origin = { userAgent: request.headers['user-agent'], address: request.ip };
    await deleteExpiredSessions(this.#database);
    // In one transaction: a new password ends the sessions that exist, so this one must exist or know of it.
    const cookie = await inTransaction(this.#database, async (transaction) => {
      if (!(await isUnchanged(transaction, account))) throw new ApiError('sign_in_failed');
      return createSession(transaction, account.id, origin);
    });
    // Of the session before, and of those that a new password has ended.
    await this.#accessChanged();
    this.#set(request, reply, cookie, SESSION_LIMITS.absoluteMs / 1000);
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#deleteCurrent(request);
    await this.#accessChanged();
    this.#set(request, reply, '', 0);
  }

  /** Whether cookies can be restricted to HTTPS. */
  isSecure({ protocol }: FastifyRequest): boolean {
    return this.#publicUrl?.startsWith('https:') ?? protocol === 'https';
  }

  async #deleteCurrent(request: FastifyRequest): Promise<void> {
    const cookie = readCookie(request, SESSION_COOKIE);
    if (cookie !== undefined) await deleteSessionByCookie(this.#database, cookie);
  }

  #set(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
    setCookie(reply, SESSION_COOKIE, value, { secure: this.isSecure(request), maxAgeSeconds });
  }
}

async function isUnchanged(database: Database, { id, passwordHash }: ProvenAccount): Promise<boolean> {
  const account = await findAccount(database, id);
  return account?.passwordHash === passwordHash && account.disabledAt === null;
}
