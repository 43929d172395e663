import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE, setCookie } from '../../http/session-cookie.ts';
import type { Database } from '../../storage/database.ts';
import { createSession, deleteSessionByCookie, SESSION_LIMITS } from './account-session-store.ts';

/** Starts and ends the session of the browser that sends a request. */
export class BrowserSessions {
  readonly #database: Database;
  readonly #publicUrl: string | undefined;

  constructor(database: Database, publicUrl: string | undefined) {
    this.#database = database;
    this.#publicUrl = publicUrl;
  }

  /** Always a new session: one that was known before signing in must not become more powerful. */
  async start(request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<void> {
    await this.#deleteCurrent(request);
    const origin = { userAgent: request.headers['user-agent'], address: request.ip };
    const cookie = await createSession(this.#database, accountId, origin);
    this.#set(request, reply, cookie, SESSION_LIMITS.absoluteMs / 1000);
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#deleteCurrent(request);
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
