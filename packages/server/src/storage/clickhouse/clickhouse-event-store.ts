import type { JournalEntry } from '../accepted-request.ts';
import type { AssignmentCounts, AssignmentQuery } from '../assignment-queries.ts';
import type { EventChecksum } from '../checksum-text.ts';
import type { ConversionPageQuery, StoredConversion } from '../conversion-page.ts';
import type {
  Erasure,
  PersonalSubject,
  Subject,
  SubjectContents,
  SubjectSessionsQuery,
} from '../erasure-subject.ts';
import type {
  CollectedSession,
  EventStore,
  FeedbackEntry,
  FeedbackPageQuery,
  FeedbackTime,
  GoalBaseline,
  GoalBaselineQuery,
  GoalBucket,
  GoalQuery,
  GoalSeriesQuery,
  GoalTotals,
  HeldFiles,
  NewFeedback,
  NewFeedbackQuery,
  Positions,
  SessionDetail,
  SessionPageQuery,
  SessionQuery,
} from '../event-store.ts';
import type { FeedbackFilter, FeedbackSummary, FeedbackSummaryQuery } from '../feedback-summary.ts';
import type { Page, TimelineCursor } from '../page.ts';
import type {
  KnownSessionQuery,
  SessionContextQuery,
  SessionContexts,
  SessionKnowledge,
} from '../session-context-queries.ts';
import type { SessionIdentity, SessionSummary } from '../session-summary.ts';
import type {
  SplitTestCounts,
  SplitTestFeedbackQuery,
  SplitTestQuery,
  SplitTestSeries,
  VariationFeedback,
} from '../split-test-queries.ts';
import type {
  LiveQuery,
  LiveVisitors,
  ReceivedTimes,
  TrafficBreakdown,
  TrafficBreakdownQuery,
  TrafficCounts,
  TrafficCountsQuery,
} from '../traffic-queries.ts';
import { ClickHouse, type ClickHouseOptions } from './client/clickhouse-client.ts';
import { announceErasure } from './erasure/announce-erasure.ts';
import { expireEvents } from './erasure/expire-events.ts';
import { countAllEvents, forgetSubjects } from './erasure/forget-subjects.ts';
import { setRetention } from './erasure/retention.ts';
import { subjectContents, subjectSessions, subjectVisitors } from './erasure/subject-rows.ts';
import { type Batch, loadBatch } from './ingest/batch-loader.ts';
import { assignmentCounts } from './queries/assignment-counts.ts';
import { checksums } from './queries/checksums.ts';
import { conversionPage } from './queries/conversion-page.ts';
import { exportEntries } from './queries/export-entries.ts';
import { feedbackCount, feedbackSummary } from './queries/feedback-counts.ts';
import { feedbackPage, feedbackTimes } from './queries/feedback-page.ts';
import { goalBaseline } from './queries/goal-baseline.ts';
import { goalSeries, goalTotals } from './queries/goal-queries.ts';
import { knownSessions } from './queries/known-sessions.ts';
import { newFeedback } from './queries/new-feedback.ts';
import { collectedSessions, storedPositions } from './queries/positions.ts';
import type { QueryContext } from './queries/query-context.ts';
import { sessionContexts } from './queries/session-contexts.ts';
import { sessionDetail } from './queries/session-detail.ts';
import { sessionIdentity } from './queries/session-identities.ts';
import { sessionPage } from './queries/session-page.ts';
import { splitTestCounts } from './queries/split-test-counts.ts';
import { splitTestEntry } from './queries/split-test-entry.ts';
import { splitTestFeedback } from './queries/split-test-feedback.ts';
import { splitTestSeries } from './queries/split-test-series.ts';
import { trafficBreakdown } from './queries/traffic-breakdown.ts';
import { trafficCounts } from './queries/traffic-counts.ts';
import { liveVisitors, receivedTimes } from './queries/traffic-live.ts';
import { followNodes } from './schema/deduplication-window.ts';
import { migrate } from './schema/migrate.ts';

/** How often a node looks how many others there are. */
const FOLLOW_NODES_MS = 10 * 60 * 1000;

export interface ClickHouseStoreOptions extends ClickHouseOptions {
  log?: (message: string) => void;
}

/**
 * Opens the event store of several nodes. Returns at once: the first use creates the tables, so that a node starts while
 * ClickHouse is away.
 *
 * @example const store = openClickHouseEventStore({ url: 'http://user:password@localhost:8123/switchyard' });
 */
export function openClickHouseEventStore(options: ClickHouseStoreOptions): EventStore {
  return new ClickHouseEventStore(new ClickHouse(options), options.log);
}

class ClickHouseEventStore implements EventStore {
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

  async watermark(source: string): Promise<number> {
    return (await this.positions())[source] ?? 0;
  }

  positions(): Promise<Positions> {
    return this.#query(storedPositions);
  }

  append(source: string, entries: readonly JournalEntry[], isOld = false): Promise<void> {
    const last = this.#appends.get(source) ?? Promise.resolve();
    const append = last.catch(() => undefined).then(() => this.#append(source, entries, isOld));
    this.#appends.set(source, append);
    return append;
  }

  async #append(source: string, entries: readonly JournalEntry[], isOld: boolean): Promise<void> {
    if (entries.length === 0) return;
    const watermark = this.#watermarks.get(source) ?? (await this.watermark(source));
    const [first, ...rest] = entries.filter(({ seq }) => seq > watermark);
    if (first === undefined) return;
    // It is unknown how far a failed batch gets.
    this.#watermarks.delete(source);
    const batch: Batch = { source, entries: [first, ...rest], isOld };
    const stored = await this.#query(({ clickhouse }) => loadBatch(clickhouse, batch));
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

  sessionPage(query: SessionPageQuery): Promise<Page<SessionSummary>> {
    return this.#query((context) => sessionPage(context, query));
  }

  session(query: SessionQuery): Promise<SessionDetail | undefined> {
    return this.#query((context) => sessionDetail(context, query));
  }

  sessionIdentity(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined> {
    return this.#query((context) => sessionIdentity(context, propertyId, sessionId));
  }

  goalTotals(query: GoalQuery): Promise<GoalTotals> {
    return this.#query((context) => goalTotals(context, query));
  }

  goalSeries(query: GoalSeriesQuery): Promise<GoalBucket[]> {
    return this.#query((context) => goalSeries(context, query));
  }

  conversionPage(query: ConversionPageQuery): Promise<Page<StoredConversion, TimelineCursor>> {
    return this.#query((context) => conversionPage(context, query));
  }

  feedbackPage(query: FeedbackPageQuery): Promise<Page<FeedbackEntry>> {
    return this.#query((context) => feedbackPage(context, query));
  }

  feedbackCount(query: FeedbackFilter): Promise<number> {
    return this.#query((context) => feedbackCount(context, query));
  }

  feedbackSummary(query: FeedbackSummaryQuery): Promise<FeedbackSummary> {
    return this.#query((context) => feedbackSummary(context, query));
  }

  eventCount(propertyId: string): Promise<number> {
    return this.#query((context) => countAllEvents(context, propertyId));
  }

  feedbackTimes(propertyId: string, ids: readonly string[]): Promise<FeedbackTime[]> {
    return this.#query((context) => feedbackTimes(context, propertyId, ids));
  }

  newFeedback(query: NewFeedbackQuery): Promise<NewFeedback> {
    return this.#query((context) => newFeedback(context, query));
  }

  splitTestCounts(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestCounts> {
    return this.#query((context) => splitTestCounts(context, query, signal));
  }

  async countAhead(): Promise<void> {}

  splitTestSeries(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestSeries> {
    return this.#query((context) => splitTestSeries(context, query, signal));
  }

  splitTestEntry(query: SplitTestQuery, number: number, signal?: AbortSignal): Promise<number | undefined> {
    return this.#query((context) => splitTestEntry(context, query, number, signal));
  }

  splitTestFeedback(query: SplitTestFeedbackQuery, signal?: AbortSignal): Promise<VariationFeedback[]> {
    return this.#query((context) => splitTestFeedback(context, query, signal));
  }

  goalBaseline(query: GoalBaselineQuery, signal?: AbortSignal): Promise<GoalBaseline> {
    return this.#query((context) => goalBaseline(context, query, signal));
  }

  trafficCounts(query: TrafficCountsQuery, signal?: AbortSignal): Promise<TrafficCounts[]> {
    return this.#query((context) => trafficCounts(context, query, signal));
  }

  trafficBreakdown(query: TrafficBreakdownQuery, signal?: AbortSignal): Promise<TrafficBreakdown> {
    return this.#query((context) => trafficBreakdown(context, query, signal));
  }

  liveVisitors(query: LiveQuery, signal?: AbortSignal): Promise<LiveVisitors> {
    return this.#query((context) => liveVisitors(context, query, signal));
  }

  receivedTimes(propertyId: string): Promise<ReceivedTimes> {
    return this.#query((context) => receivedTimes(context, propertyId));
  }

  assignmentCounts(query: AssignmentQuery, signal?: AbortSignal): Promise<AssignmentCounts> {
    return this.#query((context) => assignmentCounts(context, query, signal));
  }

  sessionContexts(query: SessionContextQuery, signal?: AbortSignal): Promise<SessionContexts> {
    return this.#query((context) => sessionContexts(context, query, signal));
  }

  knownSessions(query: KnownSessionQuery): Promise<SessionKnowledge[]> {
    return this.#query((context) => knownSessions(context, query));
  }

  collectedSessions(after: Positions, limit: number): Promise<CollectedSession[] | undefined> {
    return this.#query((context) => collectedSessions(context, after, limit));
  }

  exportEntries(source: string, after: number, limit: number): Promise<JournalEntry[]> {
    return this.#query((context) => exportEntries(context, source, after, limit));
  }

  checksums(upTo?: Positions): Promise<EventChecksum[]> {
    return this.#query((context) => checksums(context, upTo));
  }

  subjectContents(subject: PersonalSubject): Promise<SubjectContents> {
    return this.#query((context) => subjectContents(context, subject));
  }

  subjectSessions(query: SubjectSessionsQuery): Promise<string[]> {
    return this.#query((context) => subjectSessions(context, query));
  }

  subjectVisitors(subject: PersonalSubject): Promise<string[]> {
    return this.#query((context) => subjectVisitors(context, subject));
  }

  forget(subjects: readonly Subject[]): Promise<Erasure[]> {
    return this.#query(async (context) => {
      const erasures = await forgetSubjects(context, subjects);
      if (erasures.some(({ rows }) => rows > 0)) await announceErasure(context);
      return erasures;
    });
  }

  expire(propertyId: string, before: number): Promise<Erasure> {
    return this.#query(async (context) => {
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
    return this.#query((context) => setRetention(context, days));
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

  async #query<T>(run: (context: QueryContext) => Promise<T>): Promise<T> {
    // If the server is silent, another attempt can start while this one waits: statements can be repeated.
    this.#migrated ??= this.#clickhouse
      .whileAnswering(() => migrate(this.#clickhouse, this.#log))
      .catch((error: unknown) => {
        this.#migrated = undefined;
        throw error;
      });
    await this.#migrated;
    return run({ clickhouse: this.#clickhouse });
  }
}

const noFiles = () =>
  new Error(
    'The events are in ClickHouse, whose files Switchyard cannot copy. Use the backup tools of ClickHouse and PostgreSQL.',
  );
