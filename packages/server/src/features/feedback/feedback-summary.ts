import type { FeedbackStatus, FeedbackSummary, FeedbackSummaryQuery } from '@switchyard/core/api/feedback';
import { previousPeriod } from '@switchyard/core/previous-period';
import { timeZone } from '@switchyard/core/time-zone';
import type { Database } from '../../configuration/database/database.ts';
import type {
  FeedbackFilter,
  FeedbackSummary as StoredSummary,
} from '../../events/store/feedback-queries.ts';
import { BUCKET_LENGTH } from '../../events/store/goal-buckets.ts';
import type { Cursor } from '../../events/store/page.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { type Period, periodOf } from '../../http/contract/period.ts';
import { type TimeBucket, timeBuckets } from '../../http/contract/time-buckets.ts';
import { invalidField } from '../../platform/errors/errors.ts';
import type { EntryFilter } from './feedback-flag-filter.ts';
import { countMarked, markedEntries } from './feedback-state-store.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackSummary' | 'feedbackCount' | 'feedbackPage'>;
}

/** Max entries with a status other than new whose ids are looked at. */
const MAX_MARKED = 20_000;
/** Parts of a query that the states of entries know too. */
const UNFILTERED = new Set(['propertyId', 'from', 'to']);
const MAX_BUCKETS = 1000;
/** Max entries whose flag value is computed. */
const MAX_EXAMINED = 5000;
const BATCH = 500;

/** The period of a query; default: the last 30 days. */
export function summaryPeriod(query: FeedbackSummaryQuery, now: number): Period {
  const period = periodOf(query, now);
  if ((period.to - period.from) / BUCKET_LENGTH[period.interval] > MAX_BUCKETS) {
    throw invalidField('/interval', `gives more than ${MAX_BUCKETS} buckets for this period`);
  }
  return period;
}

export async function summarizeFeedback(
  { database, eventStore }: Stores,
  { status, bot, ...ofEverybody }: FeedbackFilter & { status?: FeedbackStatus },
  period: Period & { timeZone: string },
  flag?: { matching: EntryFilter; environment: string },
  maxMarked = MAX_MARKED,
): Promise<FeedbackSummary> {
  const { from, to } = period;
  const zone = timeZone(period.timeZone);
  const before = previousPeriod(zone, period, period.now, period.compare);
  const ofBots = await eventStore.feedbackCount({ ...ofEverybody, from: before.from, to, bot: true });
  // Without any there is nothing to leave out, and the states of entries can be counted without reading these.
  const filter = { ...ofEverybody, ...(bot !== undefined && (bot || ofBots > 0) && { bot }) };
  const limits = { from: before.from, to, limit: maxMarked + 1 };
  const found = await markedEntries(database, filter.propertyId, limits);
  const marked = found.slice(0, maxMarked);
  const areAllMarked = found.length === marked.length;
  const isFiltered = flag !== undefined || Object.keys(filter).some((name) => !UNFILTERED.has(name));
  const examined =
    flag && (await examineEntries(eventStore, { ...ofEverybody, from: before.from, to }, flag.matching));
  const isCounted = (id: string) => examined === undefined || examined.matching.has(id);
  const ids = (...statuses: FeedbackStatus[]) =>
    marked.filter(({ id, status: own }) => statuses.includes(own) && isCounted(id)).map(({ id }) => id);
  const all: FeedbackFilter = { ...filter, ...(examined && { ids: [...examined.matching] }) };
  const current: FeedbackFilter = { ...all, from, to };
  const withStatus = (of: FeedbackFilter): FeedbackFilter => {
    if (status === undefined) return of;
    return status === 'new' ? { ...of, exceptIds: ids('seen', 'done') } : { ...of, ids: ids(status) };
  };
  const countOf = async (wanted: readonly string[]) =>
    wanted.length === 0 ? 0 : eventStore.feedbackCount({ ...current, ids: wanted });
  const markedCounts = async () => {
    if (!areAllMarked && !isFiltered) return countMarked(database, filter.propertyId, { from, to });
    const [seen, done] = await Promise.all([countOf(ids('seen')), countOf(ids('done'))]);
    return { seen, done };
  };
  const [summary, previous, { seen, done }, ofAnyStatus, bots] = await Promise.all([
    eventStore.feedbackSummary({
      ...withStatus(current),
      interval: period.interval,
      timeZone: zone.name,
    }),
    eventStore.feedbackCount(withStatus({ ...all, from: before.from, to: before.to })),
    markedCounts(),
    status === undefined ? undefined : eventStore.feedbackCount(current),
    ofBots === 0 ? 0 : eventStore.feedbackCount(withStatus({ ...current, bot: true })),
  ]);
  return {
    from,
    to,
    ...summary,
    // The state of an erased entry is deleted a little later.
    statuses: { new: Math.max(0, (ofAnyStatus ?? summary.total) - seen - done), seen, done },
    complete: areAllMarked || (!isFiltered && status === undefined),
    timeZone: zone.name,
    series: withEmptyBuckets(summary, timeBuckets(zone, period.interval, period)),
    bots: { total: bots },
    previous: { total: previous },
    previousPeriod: { from: before.from, to: before.to },
    ...(flag && examined && { flagFilter: flagFilterOf(flag.environment, examined) }),
  };
}

interface ExaminedEntries {
  matching: Set<string>;
  count: number;
  isComplete: boolean;
}

const flagFilterOf = (environment: string, { count, isComplete }: ExaminedEntries) => ({
  computed: true as const,
  environment,
  examined: count,
  complete: isComplete,
});

/** The latest entries that match, of a limited number: flag values are computed one by one. */
async function examineEntries(
  eventStore: Stores['eventStore'],
  filter: FeedbackFilter,
  matches: EntryFilter,
): Promise<ExaminedEntries> {
  const matching = new Set<string>();
  let count = 0;
  let after: Cursor | undefined;
  do {
    const limit = Math.min(BATCH, MAX_EXAMINED - count);
    const page = await eventStore.feedbackPage({ ...filter, limit, ...(after && { after }) });
    for (const id of await matches(page.rows)) matching.add(id);
    count += page.rows.length;
    after = page.next;
  } while (after !== undefined && count < MAX_EXAMINED);
  return { matching, count, isComplete: after === undefined };
}

const withEmptyBuckets = (
  { series, options }: Pick<StoredSummary, 'series' | 'options'>,
  buckets: readonly TimeBucket[],
): FeedbackSummary['series'] => {
  const byTime = new Map(series.map((bucket) => [bucket.at, bucket]));
  return buckets.map(({ at, partial }) => ({
    ...(byTime.get(at) ?? { at, total: 0, counts: options.map(() => 0) }),
    ...(partial && { partial }),
  }));
};
