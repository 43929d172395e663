import type { FeedbackStatus, FeedbackSummary, FeedbackSummaryQuery } from '@switchyard/core/api/feedback';
import { invalidField } from '../../errors.ts';
import { type Period, periodOf } from '../../http/period.ts';
import type { Database } from '../../storage/database.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import type { FeedbackFilter } from '../../storage/feedback-summary.ts';
import { BUCKET_LENGTH, bucketStart } from '../../storage/goal-buckets.ts';
import { markedEntries } from './feedback-state-store.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackSummary' | 'feedbackCount'>;
}

/** Max entries with a status other than new that are looked at. */
const MAX_MARKED = 20_000;
const MAX_BUCKETS = 1000;

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
  { status, interval: _interval, ...filter }: FeedbackSummaryQuery,
  period: Period,
): Promise<FeedbackSummary> {
  const { from, to } = period;
  const previousFrom = from - (to - from);
  const marked = await markedEntries(database, filter.propertyId, {
    from: previousFrom,
    to,
    limit: MAX_MARKED,
  });
  const ids = (...statuses: FeedbackStatus[]) =>
    marked.filter((entry) => statuses.includes(entry.status)).map(({ id }) => id);
  const current: FeedbackFilter = { ...filter, from, to };
  const withStatus = (of: FeedbackFilter): FeedbackFilter => {
    if (status === undefined) return of;
    return status === 'new' ? { ...of, exceptIds: ids('seen', 'done') } : { ...of, ids: ids(status) };
  };
  const countOf = (wanted: readonly string[]) =>
    wanted.length === 0 ? 0 : eventStore.feedbackCount({ ...current, ids: wanted });
  const [summary, previous, seen, done, all] = await Promise.all([
    eventStore.feedbackSummary({ ...withStatus(current), interval: period.interval }),
    eventStore.feedbackCount(withStatus({ ...filter, from: previousFrom, to: from })),
    countOf(ids('seen')),
    countOf(ids('done')),
    status === undefined ? undefined : eventStore.feedbackCount(current),
  ]);
  return {
    from,
    to,
    ...summary,
    statuses: { new: (all ?? summary.total) - seen - done, seen, done },
    series: withEmptyBuckets(summary, period),
    previous: { total: previous },
  };
}

function withEmptyBuckets(
  { series, options }: Pick<FeedbackSummary, 'series' | 'options'>,
  { from, to, interval }: Period,
): FeedbackSummary['series'] {
  const byTime = new Map(series.map((bucket) => [bucket.at, bucket]));
  const buckets: FeedbackSummary['series'] = [];
  for (let at = bucketStart(from, interval); at < to; at += BUCKET_LENGTH[interval]) {
    buckets.push(byTime.get(at) ?? { at, total: 0, counts: options.map(() => 0) });
  }
  return buckets;
}
