import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import type { TableName } from '../schema/table-columns.ts';
import { TableNames } from '../schema/table-names.ts';
import { asReadError, asStorageError } from './clickhouse-error.ts';
import { Reachability } from './reachability.ts';

export interface ClickHouseOptions {
  /** `http(s)://user:password@host:port/database` */
  url: string;
  cluster?: string;
  /** How long the server may take to say that it is there. */
  pingTimeoutMs?: number;
  /** How long a statement may take; by default longer than `max_execution_time`. */
  requestTimeoutMs?: number;
  /** How much memory the server may use for a SELECT. */
  maxMemoryBytes?: number;
}

export type SqlParameters = Readonly<Record<string, SqlParameter>>;
type SqlParameter = string | number | bigint | boolean | readonly (string | number | bigint)[];

export type ColumnValue = string | number | boolean | null;

const REQUEST_TIMEOUT_MS = 90_000;

const PING_TIMEOUT_MS = 2000;
/** Mostly for joins, which keep the visitors of the sessions in memory: about 10 million fit. */
const MAX_MEMORY_BYTES = 4 * 1024 ** 3;

/** For statements with a limit of their own: deleting rows rewrites large files, for example. */
const COMMAND_TIMEOUT_MS = 60 * 60 * 1000;

const SETTINGS: ClickHouseSettings = {
  // 64-bit integers arrive as text, because a number in JSON is exact only below 2^53.
  output_format_json_quote_64bit_integers: 1,
  // A row without a match in a LEFT JOIN has NULL, not an empty text or 0.
  join_use_nulls: 1,
  // Joins by session run on each shard; a subquery over sessions of several shards needs GLOBAL IN or GLOBAL JOIN.
  distributed_product_mode: 'local',
  // Less than a report may take, so that the answer says that it is too large.
  max_execution_time: 50,
  cancel_http_readonly_queries_on_client_close: 1,
  // The status of the response then tells whether the statement failed.
  wait_end_of_query: 1,
};

const INSERT_SETTINGS: ClickHouseSettings = {
  // Otherwise the server would answer before it has stored the rows, or would not recognize a repeated insert.
  async_insert: 0,
  distributed_foreground_insert: 1,
  insert_deduplicate: 1,
  // Clients can send any date, and a partition is a month.
  max_partitions_per_insert_block: '0',
};

/** A connection to ClickHouse; it opens with the first statement. */
export class ClickHouse {
  readonly tables: TableNames;
  readonly #client: ClickHouseClient;
  readonly #commands: ClickHouseClient;
  readonly #pings: ClickHouseClient;
  readonly #settings: ClickHouseSettings;
  readonly #reachability = new Reachability(() => this.ping());

  constructor({
    url,
    cluster,
    pingTimeoutMs = PING_TIMEOUT_MS,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
    maxMemoryBytes = MAX_MEMORY_BYTES,
  }: ClickHouseOptions) {
    this.#settings = { ...SETTINGS, max_memory_usage: String(maxMemoryBytes) };
    const server = new URL(url);
    const database = decodeURIComponent(server.pathname.slice(1)) || 'default';
    // The database may have to be created first; statements name it.
    server.pathname = '';
    this.tables = new TableNames(database, cluster);
    const options = {
      url: server,
      log: { level: ClickHouseLogLevel.OFF },
      // Lists of ids are too long for a URL.
      use_multipart_params_auto: true,
    };
    this.#client = createClient({ ...options, request_timeout: requestTimeoutMs });
    this.#commands = createClient({ ...options, request_timeout: COMMAND_TIMEOUT_MS });
    this.#pings = createClient({ ...options, request_timeout: pingTimeoutMs });
  }

  get database(): string {
    return this.tables.database;
  }

  /** Rows of a SELECT. 64-bit integers are text: use `Number` or `BigInt`; Int128 must be selected with `toString`. */
  async rows<Row extends unknown[]>(
    sql: string,
    parameters: SqlParameters = {},
    signal?: AbortSignal,
    settings: ClickHouseSettings = {},
  ): Promise<Row[]> {
    // Requests wait only for statements without a limit of their own.
    const isLong = settings.max_execution_time !== undefined;
    const client = isLong ? this.#commands : this.#client;
    const read = async (silence?: AbortSignal) => {
      const signals = [signal, silence].filter((it) => it !== undefined);
      const result = await client.query({
        query: sql,
        query_params: wellFormed(parameters),
        format: 'JSONCompactEachRow',
        clickhouse_settings: { ...this.#settings, ...settings },
        abort_signal: AbortSignal.any(signals),
      });
      return (await result.json()) as Row[];
    };
    return this.#run(() => (isLong ? read() : this.whileAnswering(read)), asReadError, signal);
  }

  /** Runs a statement that changes tables; it may take long. */
  async command(
    sql: string,
    parameters: SqlParameters = {},
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    // Not `command`, which would send long lists in the URL.
    await this.#run(async () => {
      const result = await this.#commands.query({
        query: sql,
        query_params: wellFormed(parameters),
        format: 'JSONCompactEachRow',
        clickhouse_settings: settings,
      });
      await result.text();
    });
  }

  /** Inserts rows, once: a repeated insert with the same token and the same rows does nothing. */
  async insert(
    table: TableName,
    columns: readonly [string, ...string[]],
    rows: readonly (readonly ColumnValue[])[],
    token: string,
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#run(() =>
      this.#client.insert({
        table: this.tables.of(table),
        columns: [...columns] as [string, ...string[]],
        values: rows.map((row) => row.map(wellFormedText)),
        format: 'JSONCompactEachRow',
        clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: token },
      }),
    );
  }

  /** See `Reachability`. Requests wait for this work. */
  whileAnswering<T>(work: (silence: AbortSignal) => Promise<T>): Promise<T> {
    return this.#reachability.whileAnswering(work);
  }

  /** Throws when the server is unavailable. */
  async ping(): Promise<void> {
    const result = await this.#pings.ping();
    if (!result.success) throw asStorageError(result.error);
  }

  async close(): Promise<void> {
    await Promise.all([this.#client, this.#commands, this.#pings].map((client) => client.close()));
  }

  async #run<T>(statement: () => Promise<T>, asError = asStorageError, signal?: AbortSignal): Promise<T> {
    await this.#reachability.assert();
    signal?.throwIfAborted();
    try {
      const result = await statement();
      this.#reachability.answered();
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      this.#reachability.failed();
      throw asError(error);
    }
  }
}

/** UTF-8 has no lone surrogates: they become U+FFFD. */
function wellFormedText<T>(value: T): T | string {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function wellFormed(parameters: SqlParameters): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(wellFormedText) : wellFormedText(value),
    ]),
  );
}
