import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { isConflict } from '../in-transaction.ts';
import { ConnectionGuard, disconnect } from './connection-guard.ts';
import { withoutNul } from './nul-characters.ts';
import type { PostgresServers } from './postgres-servers.ts';
import { type ConnectionOptions, clientClass, connectionSettings } from './server-client.ts';

export interface PostgresOptions extends ConnectionOptions {
  /** Max number of connections. */
  connections?: number;
  /**
   * Max time that the statements of one transaction may wait for the server, beyond what fast ones take. Many fast
   * statements may take longer: it is for requests, which must not wait for a slow server at each of their statements.
   */
  maxWaitMs?: number;
  guard?: ConnectionGuard;
}

const CONNECTIONS = 5;
const FAST_STATEMENT_MS = 100;

/** Connections are opened when they are needed, and again after they broke. */
export function postgresPool(servers: PostgresServers, options: PostgresOptions = {}): PostgresPool {
  const pool = new pg.Pool({
    ...connectionSettings(options),
    Client: clientClass(servers, options),
    max: options.connections ?? CONNECTIONS,
    // Do not keep a process alive that has nothing else to do.
    allowExitOnIdle: true,
  });
  const { guard = new ConnectionGuard(), maxWaitMs } = options;
  // Of an idle connection; without a listener, the process would end.
  pool.on('error', () => {});
  pool.on('connect', (client) => guard.add(client));
  pool.on('remove', (client) => guard.delete(client));
  return {
    connect: async () => {
      guard.assertAvailable();
      const client = await connectToAny(pool, servers).catch((error) => {
        throw guard.failed(error);
      });
      return new PooledConnection(client, guard, maxWaitMs) as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

/** Tries the servers one after the other. */
async function connectToAny(pool: pg.Pool, servers: PostgresServers): Promise<pg.PoolClient> {
  for (let left = servers.count - 1; ; left--) {
    const tried = servers.current;
    try {
      return await pool.connect();
    } catch (error) {
      // It is the current one still if all connections of the pool are in use.
      if (left <= 0 || servers.current === tried) throw error;
    }
  }
}

/** A single statement that failed because of others had no effect. */
const MAX_ATTEMPTS = 3;
const BEGIN = /^(begin|start transaction)/;
const END = /^(commit|rollback)/;

/** Fails at once after the server did not answer, and is not used again. */
class PooledConnection {
  readonly #client: pg.PoolClient;
  readonly #guard: ConnectionGuard;
  #waitMs: number | undefined;
  #inTransaction = false;
  #failure: Error | undefined;

  constructor(client: pg.PoolClient, guard: ConnectionGuard, maxWaitMs: number | undefined) {
    this.#client = client;
    this.#guard = guard;
    this.#waitMs = maxWaitMs;
  }

  async query(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const values = parameters.map((value) => (typeof value === 'string' ? withoutNul(value) : value));
    for (let attempt = 1; ; attempt++) {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        const result = await this.#queryInTime(text, values);
        if (BEGIN.test(text)) this.#inTransaction = true;
        else if (END.test(text)) this.#inTransaction = false;
        return result;
      } catch (error) {
        const failure = this.#guard.failed(error) as Error;
        // An answer of the server has an SQLSTATE; after anything else the state of the connection is unknown.
        if (!(error instanceof pg.DatabaseError)) this.#failure = failure;
        if (this.#inTransaction || attempt === MAX_ATTEMPTS || !isConflict(error)) throw failure;
      }
    }
  }

  release(): void {
    this.#client.release(this.#failure);
  }

  async #queryInTime(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (this.#waitMs === undefined) return this.#client.query(text, values);
    const startedAt = performance.now();
    const timer = setTimeout(() => disconnect(this.#client), FAST_STATEMENT_MS + this.#waitMs);
    try {
      return await this.#client.query(text, values);
    } finally {
      clearTimeout(timer);
      const waited = Math.max(0, performance.now() - startedAt - FAST_STATEMENT_MS);
      this.#waitMs = Math.max(0, this.#waitMs - waited);
    }
  }
}
