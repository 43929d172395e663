import { createHash } from 'node:crypto';
import { DAY_MS } from '@switchyard/core/time';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Selectable } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';
import { ApiError } from '../../platform/errors/errors.ts';

export interface Creation {
  status: number;
  /** Without secrets: this is what a repeated request gets. */
  response: object;
}

/**
 * `Idempotency-Key` on management requests that create something: a repeated request gets the first response, without
 * secrets, for 24 hours.
 */
export class IdempotentCreation {
  readonly #database: Database;
  readonly #running = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Runs `create`, unless a request with the same key did. `create` calls `record` in the transaction that creates, so
   * that a crash cannot separate the two.
   */
  async run(
    request: FastifyRequest,
    reply: FastifyReply,
    create: (record: (database: Database, creation: Creation) => Promise<void>) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return create(async () => {});
    const id = digest(request.caller.account.id, key);
    const requestHash = digest(request.method, request.url, JSON.stringify(request.body ?? null));
    if (this.#running.has(id)) throw new ApiError('idempotency_in_flight');
    this.#running.add(id);
    try {
      const earlier = await this.#find(id, requestHash);
      if (earlier !== undefined) return await repeat(reply, earlier);
      return await create((database, { status, response }) =>
        save(database, { id, request_hash: requestHash, status, response: JSON.stringify(response) }),
      );
    } catch (error) {
      // The same request may have been faster on another node: what it created is the reason for the error.
      const earlier = await this.#find(id, requestHash);
      if (earlier === undefined) throw error;
      return await repeat(reply, earlier);
    } finally {
      this.#running.delete(id);
    }
  }

  /** What an earlier request with this key created. */
  async #find(id: string, requestHash: string): Promise<Created | undefined> {
    const found = await this.#database
      .selectFrom('created_resources')
      .selectAll()
      .where('id', '=', id)
      .where('created_at', '>', Date.now() - DAY_MS)
      .executeTakeFirst();
    if (found !== undefined && found.request_hash !== requestHash) {
      throw new ApiError('idempotency_key_reused');
    }
    return found;
  }
}

type Created = Selectable<DatabaseTables['created_resources']>;

const repeat = (reply: FastifyReply, { status, response }: Created) =>
  reply.code(status).send(JSON.parse(response));

/** Also removes expired ones: creations are rare enough. */
async function save(
  database: Database,
  row: { id: string; request_hash: string; status: number; response: string },
): Promise<void> {
  const now = Date.now();
  await database
    .deleteFrom('created_resources')
    .where('created_at', '<=', now - DAY_MS)
    .execute();
  await database
    .insertInto('created_resources')
    .values({ ...row, created_at: now })
    .execute();
}

const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
