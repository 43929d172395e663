import type { DuckDBConnection } from '@duckdb/node-api';
import type { JournalEntry } from '../store/accepted-request.ts';
import type { Erasure, Subject } from '../store/erasure-subject.ts';
import type { EventStore, HeldFiles, Positions, SessionPageQuery } from '../store/event-store.ts';
import type {
  MetricBaseline,
  MetricBaselineQuery,
  MetricCounts,
  SplitTestMetricsQuery,
} from '../store/metric-queries.ts';
import type { Page } from '../store/page.ts';
import { queryMethods } from '../store/query-functions.ts';
import type { SessionIdentity, SessionSummary } from '../store/session-summary.ts';
import type { SplitTestCounts, SplitTestQuery, SplitTestSeries } from '../store/split-test-queries.ts';
import type { ReceivedTimes } from '../store/traffic-queries.ts';
import { DuckDbDatabase, type DuckDbOptions } from './connection/duckdb-database.ts';
import { holdCheckpoints, releaseCheckpoints } from './connection/held-files.ts';
import { inSnapshot, rowsOf } from './connection/sql.ts';
import { countAllEvents, rewriteDatabase } from './deletion/database-rewrite.ts';
import { expireEvents, hasEventsBefore, hasOldRemains } from './deletion/expire-events.ts';
import { forgetSubjects } from './deletion/forget-subjects.ts';
import { BatchLoader } from './ingest/batch-loader.ts';
import { KeyHasher } from './ingest/lookup/key-hasher.ts';
import { ReceivedCache } from './ingest/lookup/received-cache.ts';
import { SessionRegistry } from './ingest/lookup/session-registry.ts';
import { SourceList } from './ingest/lookup/source-list.ts';
import { TermDictionary } from './ingest/lookup/term-dictionary.ts';
import { SessionVisitors } from './ingest/session-visitors.ts';
import { BACKGROUND_QUERIES, SNAPSHOT_QUERIES } from './queries/all-queries.ts';
import { metricBaseline } from './queries/metrics/metric-baseline.ts';
import { splitTestMetrics } from './queries/metrics/split-test-metrics.ts';
import type { QueryContext } from './queries/query-context.ts';
import { sessionIdentity } from './queries/sessions/session-detail.ts';
import { sessionPage } from './queries/sessions/session-page.ts';
import { CountedAnswers } from './queries/split-tests/counted-answers.ts';
import type { SumType } from './queries/split-tests/group-rows.ts';
import { saveAnswers } from './queries/split-tests/saved-answers.ts';
import { answerKeyOf, isKept, splitTestCounts } from './queries/split-tests/split-test-counts.ts';
import { splitTestSeries } from './queries/split-tests/split-test-series.ts';
import { receivedTimes } from './queries/traffic/traffic-live.ts';
import { prepareSchema } from './schema/duckdb-schema.ts';
import { verifyStore } from './verification/verify-store.ts';

/**
 * Opens the embedded event store, creating it if needed. Only one process at a time: others get an error with the code
 * `STORE_LOCKED`. Do not open the file elsewhere in this process: closing it would release the lock.
 *
 * @example const store = await openDuckDbEventStore('data/events.duckdb');
 */
export async function openDuckDbEventStore(file: string, options: DuckDbOptions = {}): Promise<EventStore> {
  const database = await DuckDbDatabase.open(file, options);
  try {
    return await database.write(async (connection) => {
      await prepareSchema(connection);
      const store = new DuckDbEventStore(database, new KeyHasher(await hashKeyOf(connection)));
      await store.load(connection);
      return Object.assign(
        store,
        queryMethods(SNAPSHOT_QUERIES, (query, signal) => store.query(query, signal)),
        queryMethods(BACKGROUND_QUERIES, (query, signal) => store.queryInBackground(query, signal)),
      );
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function hashKeyOf(connection: DuckDBConnection): Promise<string> {
  const rows = await rowsOf<[string]>(connection, 'SELECT hash_key FROM store_state');
  return (rows[0] as [string])[0];
}

/** What is not a query, and queries that need more than a snapshot. */
class DuckDbEventStore
  implements Omit<EventStore, keyof typeof SNAPSHOT_QUERIES | keyof typeof BACKGROUND_QUERIES>
{
  /** A batch is one transaction. */
  readonly repeatsBatches = false;
  readonly #database: DuckDbDatabase;
  readonly #keys: KeyHasher;
  readonly #terms = new TermDictionary();
  readonly #registry = new SessionRegistry();
  readonly #visitors = new SessionVisitors();
  readonly #sources = new SourceList(() => this.#visitors.isInOrder);
  readonly #loader: BatchLoader;
  readonly #windows = new Map<string, number>();
  readonly #received = new ReceivedCache();
  readonly #answers = new CountedAnswers();
  /** By `answerKeyOf` their query. */
  readonly #countingAhead = new Map<string, Promise<unknown>>();

  constructor(database: DuckDbDatabase, keys: KeyHasher) {
    this.#database = database;
    this.#keys = keys;
    this.#loader = new BatchLoader({
      terms: this.#terms,
      keys,
      registry: this.#registry,
      visitors: this.#visitors,
      sources: this.#sources,
    });
  }

  /** Loads the in-memory lookup tables. */
  async load(connection: DuckDBConnection): Promise<void> {
    await this.#terms.load(connection);
    await this.#registry.load(connection);
    await this.#visitors.load(connection);
    await this.#sources.load(connection);
    this.#received.clear();
  }

  async watermark(source: string): Promise<number> {
    return this.#sources.watermarkOf(source);
  }

  async positions(): Promise<Positions> {
    return this.#sources.positions();
  }

  append(source: string, entries: readonly JournalEntry[]): Promise<void> {
    return this.#database.write(async (connection) => {
      const watermark = this.#sources.watermarkOf(source);
      const newEntries = entries.filter(({ seq }) => seq > watermark);
      if (newEntries.length === 0) return;
      try {
        await this.#loader.load(connection, source, newEntries);
        this.#received.add(newEntries);
      } catch (error) {
        // It is unknown how far a failed commit got, so reload the state from the file.
        await this.load(connection);
        throw error;
      }
    });
  }

  sessionPage(query: SessionPageQuery): Promise<Page<SessionSummary>> {
    return this.query((context) => sessionPage(context, query, this.#windows));
  }

  sessionIdentity(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined> {
    return this.#database.readQuick((connection) =>
      sessionIdentity(this.#contextOf(connection), propertyId, sessionId),
    );
  }

  async eventCount(propertyId: string): Promise<number> {
    const property = this.#terms.find(propertyId);
    if (property === undefined) return 0;
    return this.query(({ connection }) => countAllEvents(connection, property));
  }

  async splitTestCounts(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestCounts> {
    // Counting the same twice at once would take longer.
    await this.#countingAhead.get(answerKeyOf(query));
    const answers = this.#answers.view();
    return this.#querySums((context, sumType) => splitTestCounts(context, query, sumType, answers), signal);
  }

  async countAhead(query: SplitTestQuery, signal?: AbortSignal): Promise<void> {
    if (!isKept(query)) return;
    const key = answerKeyOf(query);
    const count = (connection: DuckDBConnection) => {
      const answers = this.#answers.view();
      const counting = this.#inSnapshot(
        connection,
        (context) => splitTestCounts(context, query, 'HUGEINT', answers),
        signal,
      );
      this.#countingAhead.set(
        key,
        counting.catch(() => undefined),
      );
      return counting;
    };
    try {
      await this.#database.readInBackground(count);
    } catch (error) {
      if (!isOverflow(error)) throw error;
    } finally {
      this.#countingAhead.delete(key);
    }
    await this.#database.write((connection) => this.#saveAnswers(connection));
  }

  splitTestSeries(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestSeries> {
    return this.#querySums((context, sumType) => splitTestSeries(context, query, sumType), signal);
  }

  splitTestMetrics(query: SplitTestMetricsQuery, signal?: AbortSignal): Promise<MetricCounts> {
    return this.#querySums((context, sumType) => splitTestMetrics(context, query, sumType), signal);
  }

  metricBaseline(query: MetricBaselineQuery, signal?: AbortSignal): Promise<MetricBaseline> {
    return this.#querySums((context, sumType) => metricBaseline(context, query, sumType), signal);
  }

  receivedTimes(propertyId: string): Promise<ReceivedTimes> {
    return this.#received.get(propertyId, () => this.query((context) => receivedTimes(context, propertyId)));
  }

  forget(subjects: readonly Subject[]): Promise<Erasure[]> {
    const lookups = { keys: this.#keys, terms: this.#terms };
    return this.#erase((connection) =>
      this.#answers.whileErasing(() => forgetSubjects(this.#database, connection, lookups, subjects)),
    );
  }

  async expire(propertyId: string, before: number): Promise<Erasure> {
    const property = this.#terms.find(propertyId);
    if (property === undefined) return { rows: 0 };
    // Usually there are none, and caches need not be cleared.
    const hasOld = (connection: DuckDBConnection) => hasEventsBefore(connection, property, before);
    if (!(await this.#database.readQuick(hasOld))) return { rows: 0 };
    return this.#erase((connection) => {
      this.#answers.expire(propertyId, before);
      const { tieBreak } = this.#sources;
      return expireEvents(this.#database, connection, this.#terms, { property, before, tieBreak });
    });
  }

  async removeRemains(now: number): Promise<boolean> {
    if (!(await this.#database.readQuick((connection) => hasOldRemains(connection, now)))) return false;
    await this.#erase((connection) => rewriteDatabase(this.#database, connection, this.#terms));
    return true;
  }

  /** Old events are deleted by `expire` only. */
  async setRetention(): Promise<void> {}

  verify(pause: (tookMs: number) => Promise<unknown>): Promise<void> {
    return verifyStore(this.#database, pause);
  }

  holdFiles(): Promise<HeldFiles> {
    return this.#database.write(async (connection) => {
      const logBytes = await holdCheckpoints(connection, this.#database.file);
      return { positions: this.#sources.positions(), logBytes };
    });
  }

  releaseFiles(): Promise<void> {
    return this.#database.write(releaseCheckpoints);
  }

  ping(): Promise<void> {
    return this.#database.readQuick(async (connection) => {
      await connection.run('SELECT 1');
    });
  }

  async close(): Promise<void> {
    const finish = async (connection: DuckDBConnection) => {
      this.#loader.close();
      await this.#saveAnswers(connection);
    };
    // Without them, the next start counts again.
    await this.#database.write(finish).catch(() => undefined);
    await this.#database.close();
  }

  async #saveAnswers(connection: DuckDBConnection): Promise<void> {
    const answers = this.#answers.takeUnsaved();
    if (answers.length > 0) await saveAnswers(connection, this.#terms, answers);
  }

  #erase<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    return this.#database.write(async (connection) => {
      // The loader's appenders use the connection that a rewrite closes.
      this.#loader.close();
      try {
        return await work(connection);
      } finally {
        this.#registry.clearCache();
        this.#visitors.clear();
        this.#received.clear();
      }
    });
  }

  /** Sums integers; falls back to floating point on overflow. */
  #querySums<T>(
    run: (context: QueryContext, sumType: SumType) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const query = (sumType: SumType) => this.query((context) => run(context, sumType), signal);
    return query('HUGEINT').catch((error: unknown) => {
      if (!isOverflow(error)) throw error;
      return query('DOUBLE');
    });
  }

  /** Runs all statements of a query on one snapshot. */
  query<T>(run: (context: QueryContext) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#database.read((connection) => this.#inSnapshot(connection, run, signal));
  }

  /** Like `query`, but other queries do not wait for it. */
  queryInBackground<T>(run: (context: QueryContext) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#database.readInBackground((connection) => this.#inSnapshot(connection, run, signal));
  }

  #inSnapshot<T>(
    connection: DuckDBConnection,
    run: (context: QueryContext) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return inSnapshot(connection, () => run(this.#contextOf(connection, signal)), signal);
  }

  #contextOf(connection: DuckDBConnection, signal?: AbortSignal): QueryContext {
    const { maxVisitors, maxMetricVisitors } = this.#database;
    return {
      connection,
      terms: this.#terms,
      keys: this.#keys,
      registry: this.#registry,
      maxVisitors,
      maxMetricVisitors,
      signal,
      sources: this.#sources,
      namingCollects: this.#visitors.namingCollects,
    };
  }
}

const isOverflow = (error: unknown) => error instanceof Error && /overflow|out of range/i.test(error.message);
