import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { isConflict } from '../in-transaction.ts';
import { ConnectionGuard, disconnect } from './connection-guard.ts';
import { withNul, withoutNul } from './nul-characters.ts';

export interface PostgresOptions {
  /** Max number of connections. */
  connections?: number;
  /** Max time to open a connection, or to wait for one that is in use. */
  connectTimeoutMs?: number;
  /** Max time of one statement, including the wait for locks. */
  statementTimeoutMs?: number;
  /**
   * Max time that the statements of one transaction may wait for the server, beyond what fast ones take. Many fast
   * statements may take longer: it is for requests, which must not wait for a slow server at each of their statements.
   */
  maxWaitMs?: number;
  guard?: ConnectionGuard;
}

const CONNECTIONS = 5;
const FAST_STATEMENT_MS = 100;
const CONNECT_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 4000;
/** A node that dies in a transaction must not keep its locks. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/** How to read values: integers are below 2^53. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.TEXT]: withNul,
};

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (PARSERS[id] ?? pg.types.getTypeParser(id, format)) as never,
};

/** Settings of every connection, also of those that do not belong to a pool. */
export function connectionSettings(
  url: string,
  { connectTimeoutMs = CONNECT_TIMEOUT_MS, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: PostgresOptions = {},
): pg.ClientConfig {
  return {
    connectionString: withLibpqModes(url),
    application_name: 'switchyard',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // For a server that does not answer at all.
    query_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
  };
}

/** `sslmode` as in libpq and psql: `require` encrypts, `verify-full` checks the certificate and the name too. */
function withLibpqModes(text: string): string {
  const url = new URL(text);
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Connections are opened when they are needed, and again after they broke. */
export function postgresPool(url: string, options: PostgresOptions = {}): PostgresPool {
  const pool = new pg.Pool({
    ...connectionSettings(url, options),
    max: options.connections ?? CONNECTIONS,
    // Do not keep a process alive that has nothing else to do.
    allowExitOnIdle: true,
  });
  const { guard = new ConnectionGuard(), maxWaitMs } = options;
  // The statement that uses a broken connection fails; without listeners, the process would end too.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    guard.add(client);
  });
  pool.on('remove', (client) => guard.delete(client));
  return {
    connect: async () => {
      guard.assertAvailable();
      const client = await pool.connect().catch((error) => {
        throw guard.failed(error);
      });
      return new PooledConnection(client, guard, maxWaitMs) as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
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
