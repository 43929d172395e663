import type { GoalProgress, GoalProgressQuery, Interval } from '@switchyard/core/api/goals';
import { toDollars } from '@switchyard/core/money';
import { invalidField } from '../../errors.ts';
import type { GoalBucket, GoalTotals } from '../../storage/event-store.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import { BUCKET_LENGTH, BUCKET_ORIGIN } from '../../storage/goal-buckets.ts';
import type { Goal } from '../../storage/property-configuration.ts';

export type GoalQueries = Pick<EventStoreClient, 'goalTotals' | 'goalSeries'>;

const DEFAULT_PERIOD_MS = 30 * BUCKET_LENGTH.day;
/** For longer periods, empty buckets are omitted. */
const MAX_EMPTY_BUCKETS = 10_000;

/** From `from` (inclusive) to `to` (exclusive), in Unix milliseconds. */
interface Period {
  from: number;
  to: number;
  interval: Interval;
}

/** The period of a query; default: the last 30 days. */
export function progressPeriod(query: GoalProgressQuery, now: number): Period {
  const { interval = 'day' } = query;
  // The end is exclusive, and events acknowledged in this millisecond must count.
  const to = query.to ?? now + 1;
  const from = query.from ?? Math.max(0, to - DEFAULT_PERIOD_MS);
  if (from >= to) throw invalidField('/from', 'must be before `to`');
  return { from, to, interval };
}

export async function goalProgress(
  eventStore: GoalQueries,
  propertyId: string,
  goal: Goal,
  { from, to, interval }: Period,
): Promise<GoalProgress> {
  const scope = { propertyId, goalId: goal.id };
  const [current, previous, series] = await Promise.all([
    eventStore.goalTotals({ ...scope, from, to }),
    eventStore.goalTotals({ ...scope, from: from - (to - from), to: from }),
    eventStore.goalSeries({ ...scope, from, to, interval }),
  ]);
  return {
    goalId: goal.id,
    kind: goal.kind,
    current: totals(goal, current),
    previous: totals(goal, previous),
    series: bucketsOf(series, { from, to, interval }).map((bucket) => toPoint(goal, bucket)),
  };
}

function totals(goal: Goal, found: GoalTotals): GoalProgress['current'] {
  const { increments, decrements, incrementedMicros, decrementedMicros } = found;
  const count = increments - decrements;
  if (goal.kind === 'count') return { total: count, count, gross: increments, reversed: decrements };
  return {
    total: toDollars(incrementedMicros - decrementedMicros),
    count,
    gross: toDollars(incrementedMicros),
    reversed: toDollars(decrementedMicros),
  };
}

/** Adds the empty buckets, which charts need too. */
function bucketsOf(found: GoalBucket[], { from, to, interval }: Period): GoalBucket[] {
  const length = BUCKET_LENGTH[interval];
  if ((to - from) / length > MAX_EMPTY_BUCKETS) return found;
  const byTime = new Map(found.map((bucket) => [bucket.at, bucket]));
  const buckets: GoalBucket[] = [];
  for (let at = bucketStart(from, interval); at < to; at += length) {
    buckets.push(byTime.get(at) ?? { at, count: 0, amountMicros: 0n });
  }
  return buckets;
}

function toPoint(goal: Goal, { at, count, amountMicros }: GoalBucket): GoalProgress['series'][number] {
  return { at, total: goal.kind === 'count' ? count : toDollars(amountMicros), count };
}

function bucketStart(time: number, interval: Interval): number {
  const [origin, length] = [BUCKET_ORIGIN[interval], BUCKET_LENGTH[interval]];
  return Math.floor((time - origin) / length) * length + origin;
}
