import type { JournalEntry } from '../store/accepted-request.ts';
import type { Erasure, Subject } from '../store/erasure-subject.ts';
import type { EventQueries, EventStore, HeldFiles } from '../store/event-store.ts';
import { queryMethods } from '../store/query-functions.ts';
import { ClickHouse, type ClickHouseOptions } from './connection/clickhouse-client.ts';
import { announceErasure } from './deletion/announce-erasure.ts';
import { expireEvents } from './deletion/expire-events.ts';
import { forgetSubjects } from './deletion/forget-subjects.ts';
import { setRetention } from './deletion/set-retention.ts';
import { type Batch, loadBatch } from './ingest/batch-loader.ts';
import { ALL_QUERIES } from './queries/all-queries.ts';
import { watermark } from './queries/positions.ts';
import type { QueryContext } from './queries/query-context.ts';
import { followNodes } from './schema/deduplication-window.ts';
import { migrateTables } from './schema/migrate-tables.ts';

/** How often a node looks how many others there are. */
const FOLLOW_NODES_MS = 10 * 60 * 1000;

export interface ClickHouseStoreOptions extends ClickHouseOptions {
  log?: (message: string) => void;
}

/**
 * Opens the event store of several nodes. Returns at once: the first use creates the tables, so that a node starts while
 * ClickHouse is unavailable.
 *
 * @example const store = openClickHouseEventStore({ url: 'http://user:password@localhost:8123/switchyard' });
 */
export function openClickHouseEventStore(options: ClickHouseStoreOptions): EventStore {
  const store = new ClickHouseEventStore(new ClickHouse(options), options.log);
  return Object.assign(
    store,
    queryMethods(ALL_QUERIES, (query, signal) => store.query(query, signal)),
  );
}

/** What is not a query. */
class ClickHouseEventStore implements Omit<EventStore, keyof EventQueries> {
  readonly repeatsBatches = true;
  readonly #clickhouse: ClickHouse;
  readonly #log: (message: string) => void;
  #migrated: Promise<void> | undefined;
  /** The last append of each source; they run one after the other. */
  readonly #appends = new Map<string, Promise<void>>();
  /** As far as this process has stored them itself. */
  readonly #watermarks = new Map<string, number>();
  #followNodesAt = Number.NEGATIVE_INFINITY;

  constructor(clickhouse: ClickHouse, log: (message: string) => void = () => {}) {
    this.#clickhouse = clickhouse;
    this.#log = log;
  }

  append(source: string, entries: readonly JournalEntry[], isOld = false): Promise<void> {
    const last = this.#appends.get(source) ?? Promise.resolve();
    const append = last.catch(() => undefined).then(() => this.#append(source, entries, isOld));
    this.#appends.set(source, append);
    return append;
  }

  async #append(source: string, entries: readonly JournalEntry[], isOld: boolean): Promise<void> {
    if (entries.length === 0) return;
    const last = this.#watermarks.get(source) ?? (await this.query((context) => watermark(context, source)));
    const [first, ...rest] = entries.filter(({ seq }) => seq > last);
    if (first === undefined) return;
    // It is unknown how far a failed batch gets.
    this.#watermarks.delete(source);
    const batch: Batch = { source, entries: [first, ...rest], isOld };
    const stored = await this.query(({ clickhouse }) => loadBatch(clickhouse, batch));
    this.#watermarks.set(source, stored);
    this.#followNodes();
  }

  /** After the first batch too: it is when others see this node. In the background, because a cluster may take long. */
  #followNodes(): void {
    if (performance.now() < this.#followNodesAt) return;
    this.#followNodesAt = Number.POSITIVE_INFINITY;
    followNodes(this.#clickhouse)
      .catch((error: Error) =>
        this.#log(`Cannot adapt the deduplication window to the number of nodes: ${error.message}`),
      )
      .finally(() => {
        this.#followNodesAt = performance.now() + FOLLOW_NODES_MS;
      });
  }

  forget(subjects: readonly Subject[]): Promise<Erasure[]> {
    return this.query(async (context) => {
      const erasures = await forgetSubjects(context, subjects);
      if (erasures.some(({ rows }) => rows > 0)) await announceErasure(context);
      return erasures;
    });
  }

  expire(propertyId: string, before: number): Promise<Erasure> {
    return this.query(async (context) => {
      const erasure = await expireEvents(context, propertyId, before);
      if (erasure.rows > 0) await announceErasure(context);
      return erasure;
    });
  }

  /** A deletion has already rewritten the files; the engine removes the old ones after eight minutes. */
  async removeRemains(): Promise<boolean> {
    return false;
  }

  setRetention(days: ReadonlyMap<string, number>): Promise<void> {
    return this.query((context) => setRetention(context, days));
  }

  /** ClickHouse checks its files itself whenever it reads them. */
  async verify(): Promise<void> {}

  holdFiles(): Promise<HeldFiles> {
    return Promise.reject(noFiles());
  }

  releaseFiles(): Promise<void> {
    return Promise.reject(noFiles());
  }

  ping(): Promise<void> {
    return this.#clickhouse.ping();
  }

  close(): Promise<void> {
    return this.#clickhouse.close();
  }

  async query<T>(run: (context: QueryContext) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // If the server is silent, another attempt can start while this one waits: statements can be repeated.
    this.#migrated ??= this.#clickhouse
      .whileAnswering(() => migrateTables(this.#clickhouse, this.#log))
      .catch((error: unknown) => {
        this.#migrated = undefined;
        throw error;
      });
    await this.#migrated;
    return run({ clickhouse: this.#clickhouse, signal });
  }
}

const noFiles = () =>
  new Error(
    'The events are in ClickHouse, whose files Switchyard cannot copy. Use the backup tools of ClickHouse and PostgreSQL.',
  );
