import { INTERVALS } from '@switchyard/core/api/goals';
import { TRAFFIC_DIMENSIONS } from '@switchyard/core/api/traffic';
import { DAY_MS } from '@switchyard/core/time';
import type { EventStore, Positions } from '../event-store.ts';
import { FEEDBACK_FILTERS, SESSION_CONDITIONS } from './lists/compare-lists.contract.ts';
import { METRICS, metricsQueryOf } from './metrics/compare-metrics.contract.ts';
import { T0 } from './random-requests.contract.ts';
import { ALL_PARTS, contextQuery } from './sessions/describe-session-contexts.contract.ts';
import { assignmentQuery } from './split-tests/describe-assignments.contract.ts';
import { feedbackQueryOf, SPLIT_TEST_QUERIES } from './split-tests/split-test-queries.contract.ts';
import { PARAMETER, TRAFFIC_FILTERS, TRAFFIC_PERIODS } from './traffic/describe-traffic.contract.ts';

export interface Interest {
  propertyId: string;
  /** All of them have entries. */
  sources: readonly string[];
  /** Some of the positions that were stored. */
  positions: Positions;
  /** Chooses among the options of each question. */
  choice: number;
}

/** Asks every question about a property once or twice, so that a slow engine can answer in a minute. */
export async function askEverything(store: EventStore, interest: Interest): Promise<void> {
  await askWhatIsStored(store, interest);
  await askSessions(store, interest);
  await askGoals(store, interest);
  await askFeedback(store, interest);
  await askSplitTests(store, interest);
  await askTraffic(store, interest);
  await askSubjects(store, interest);
}

const chosen = <T>(list: readonly T[], choice: number) => list[choice % list.length] as T;
const ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe'];

const PERIOD = { from: T0 - DAY_MS, to: T0 + 100 * DAY_MS };
const ALL = 1000;

export async function askWhatIsStored(
  store: EventStore,
  { propertyId, sources, positions, choice }: Interest,
): Promise<void> {
  await store.positions();
  await store.eventCount(propertyId);
  await store.watermark(chosen(sources, choice));
  await store.checksums();
  for (const source of sources) await store.exportEntries(source, 0, ALL);
  await store.exportEntries(chosen(sources, choice), choice % 7, 3);
  await store.collectedSessions(positions, chosen([1, ALL], choice));
}

async function askSessions(store: EventStore, { propertyId, positions, choice }: Interest): Promise<void> {
  const limit = 3 + (choice % 2);
  const query = { propertyId, limit, asOf: positions };
  const { rows, next } = await store.sessionPage(query);
  if (next !== undefined) await store.sessionPage({ ...query, after: next });
  await store.sessionPage({ propertyId, limit: ALL, ...chosen(SESSION_CONDITIONS, choice) });
  if (rows.length > 0) {
    const { sessionId } = chosen(rows, choice);
    await store.sessionIdentity(propertyId, sessionId);
    const session = await store.session({ propertyId, sessionId, limit: 4 });
    const after = session?.timeline.next;
    if (after !== undefined) await store.session({ propertyId, sessionId, limit: ALL, after });
  }
  const sessionIds = [...rows.map(({ sessionId }) => sessionId), 'unknown'];
  const visit = chosen([ALL_PARTS, []], choice);
  await store.knownSessions({ propertyId, sessionIds, attributes: ['n', 'none'], visit });
  await store.sessionContexts(contextQuery({ propertyId, ...PERIOD, visit }));
}

async function askGoals(store: EventStore, { propertyId, choice }: Interest): Promise<void> {
  const goalId = chosen(['signup', 'revenue'], choice);
  const query = { propertyId, goalId, ...PERIOD };
  await store.goalTotals(query);
  await store.goalSeries({ ...query, interval: chosen(INTERVALS, choice), timeZone: chosen(ZONES, choice) });
  await store.goalBaseline({ ...query, isRevenue: choice % 4 === 1 });
  const { next } = await store.conversionPage({ propertyId, limit: 4 });
  if (next !== undefined) await store.conversionPage({ propertyId, limit: ALL, after: next });
  await store.assignmentCounts(assignmentQuery({ propertyId, ...PERIOD }));
}

async function askFeedback(store: EventStore, { propertyId, choice }: Interest): Promise<void> {
  const { rows } = await store.feedbackPage({ propertyId, limit: ALL });
  const filter = { propertyId, ...chosen(FEEDBACK_FILTERS, choice) };
  await store.feedbackPage({ ...filter, limit: 2 });
  await store.feedbackCount(filter);
  await store.feedbackSummary({
    ...filter,
    interval: chosen(INTERVALS, choice),
    timeZone: chosen(ZONES, choice),
  });
  await store.feedbackTimes(propertyId, ['unknown', ...rows.map(({ id }) => id)]);
  const { next } = await store.newFeedback({ propertyId, after: {}, limit: 2 });
  await store.newFeedback({ propertyId, after: next, limit: ALL });
}

async function askSplitTests(store: EventStore, { propertyId, choice }: Interest): Promise<void> {
  const splitTestKey = chosen(['hero', 'price'], choice);
  const query = { ...chosen(SPLIT_TEST_QUERIES, choice), propertyId, splitTestKey };
  await store.splitTestCounts({ ...query, ...(choice % 2 === 0 && { winsorize: 0.5 }) });
  await store.splitTestSeries(query);
  await store.splitTestEntry(query, 1 + (choice % 3));
  await store.splitTestFeedback(feedbackQueryOf(query));
  await store.splitTestMetrics(metricsQueryOf(query, METRICS, T0 + (choice % 20) * DAY_MS));
  await store.metricBaseline({ propertyId, metric: chosen(METRICS, choice), ...PERIOD });
}

async function askTraffic(store: EventStore, { propertyId, choice }: Interest): Promise<void> {
  const filters = chosen(TRAFFIC_FILTERS, choice);
  const query = { propertyId, ...chosen(TRAFFIC_PERIODS, choice), filters };
  await store.trafficCounts(query);
  const by = chosen(TRAFFIC_DIMENSIONS, choice);
  await store.trafficBreakdown({ ...query, by, bot: choice % 3 === 0, limit: 3 });
  await store.liveVisitors({ propertyId, since: T0 + (choice % 100), limit: 3 });
  await store.parameterValues({ ...PARAMETER, propertyId, from: T0 + (choice % 100) });
  await store.receivedTimes(propertyId);
}

async function askSubjects(store: EventStore, { propertyId, choice }: Interest): Promise<void> {
  const subject = chosen(
    [
      { propertyId, visitorId: 'v1' },
      { propertyId, userId: 'u1' },
      { propertyId, sessionId: 's1' },
      { propertyId, feedbackId: 'f1' },
      { propertyId, metadata: { key: 'order', value: '1' } },
    ],
    choice,
  );
  await store.subjectContents(subject);
  await store.subjectVisitors(subject);
  const [first] = await store.subjectSessions({ subject, limit: 1 });
  if (first !== undefined) await store.subjectSessions({ subject, limit: ALL, after: first });
}
