import pg from 'pg';
import { disconnect } from './connection-guard.ts';
import { withNul } from './nul-characters.ts';
import type { PostgresServers } from './postgres-servers.ts';

export interface ConnectionOptions {
  /** Max time to open a connection, or to wait for one that is in use. */
  connectTimeoutMs?: number;
  /** Max time of one statement, including the wait for locks. */
  statementTimeoutMs?: number;
}

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

export function connectionSettings({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
}: ConnectionOptions): pg.ClientConfig {
  return {
    application_name: 'switchyard',
    connectionTimeoutMillis: connectTimeoutMs,
    // For a server that does not answer at all.
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
  };
}

/** Clients that connect to the current one of several servers, and only if it accepts writes. */
export function clientClass(
  servers: PostgresServers,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS }: ConnectionOptions,
): typeof pg.Client {
  return class extends pg.Client {
    readonly #url = servers.current;

    constructor(settings: pg.ClientConfig) {
      super({ ...settings, connectionString: withLibpqModes(servers.current) });
      // The statement that uses a broken connection fails; without a listener, the process would end too.
      this.on('error', () => {});
    }

    override connect(): Promise<this>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback?: (error?: Error) => void): Promise<this> | undefined {
      const connecting = this.#connect();
      if (callback === undefined) return connecting;
      connecting.then(() => callback(), callback);
      return undefined;
    }

    async #connect(): Promise<this> {
      try {
        await super.connect();
        // Not as parameters of the start of the session, because PgBouncer refuses those.
        const results = (await this.query(
          `set statement_timeout = ${statementTimeoutMs};
           set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS};
           show transaction_read_only`,
        )) as unknown as pg.QueryResult<{ transaction_read_only: string }>[];
        if (results.at(-1)?.rows[0]?.transaction_read_only === 'on') throw readOnly(this.host);
        return this;
      } catch (error) {
        servers.leave(this.#url);
        disconnect(this);
        throw error;
      }
    }
  };
}

export function readOnly(host: string): Error {
  return new Error(
    `${host} accepts no writes. It is a standby, or default_transaction_read_only is on. List all servers in ` +
      'DATABASE_URL, or use an address that leads to the primary',
  );
}

/** `sslmode` as in libpq and psql: `require` encrypts, `verify-full` checks the certificate and the name too. */
function withLibpqModes(text: string): string {
  const url = new URL(text);
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}
