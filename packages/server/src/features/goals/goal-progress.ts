import type { GoalProgress } from '@switchyard/core/api/goals';
import { toDollars } from '@switchyard/core/money';
import type { Period } from '../../http/period.ts';
import type { GoalBucket, GoalTotals } from '../../storage/event-store.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import { BUCKET_LENGTH, bucketStart } from '../../storage/goal-buckets.ts';
import type { Goal } from '../../storage/property-configuration.ts';

export type GoalQueries = Pick<EventStoreClient, 'goalTotals' | 'goalSeries'>;

/** For longer periods, empty buckets are omitted. */
const MAX_EMPTY_BUCKETS = 10_000;

const NOTHING: GoalTotals = {
  increments: 0,
  decrements: 0,
  incrementedMicros: 0n,
  decrementedMicros: 0n,
};

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
    series: bucketsOf(series, { from, to, interval }).map((bucket) => ({
      at: bucket.at,
      ...progressOf(goal, bucket),
    })),
  };
}

type Bucket = GoalProgress['series'][number];

function totals(goal: Goal, found: GoalTotals): GoalProgress['current'] {
  const { incrementedMicros, decrementedMicros } = found;
  return {
    ...progressOf(goal, found),
    amount: toDollars(incrementedMicros - decrementedMicros),
    grossAmount: toDollars(incrementedMicros),
    reversedAmount: toDollars(decrementedMicros),
  };
}

/** In conversions for count goals, in dollars for revenue goals. */
function progressOf(goal: Goal, found: GoalTotals): Omit<Bucket, 'at'> {
  const { increments, decrements, incrementedMicros, decrementedMicros } = found;
  const count = increments - decrements;
  const counts = { count, increments, decrements };
  if (goal.kind === 'count') return { total: count, gross: increments, reversed: decrements, ...counts };
  return {
    total: toDollars(incrementedMicros - decrementedMicros),
    gross: toDollars(incrementedMicros),
    reversed: toDollars(decrementedMicros),
    ...counts,
  };
}

/** Adds the empty buckets, which charts need too. */
function bucketsOf(found: GoalBucket[], { from, to, interval }: Period): GoalBucket[] {
  const length = BUCKET_LENGTH[interval];
  if ((to - from) / length > MAX_EMPTY_BUCKETS) return found;
  const byTime = new Map(found.map((bucket) => [bucket.at, bucket]));
  const buckets: GoalBucket[] = [];
  for (let at = bucketStart(from, interval); at < to; at += length) {
    buckets.push(byTime.get(at) ?? { at, ...NOTHING });
  }
  return buckets;
}
