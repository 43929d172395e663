import type { Bots } from '@switchyard/core/api/common';
import type { GoalProgress } from '@switchyard/core/api/goals';
import { toDollars } from '@switchyard/core/money';
import { previousPeriod } from '@switchyard/core/previous-period';
import { timeZone } from '@switchyard/core/time-zone';
import type { Goal, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { GoalBucket, GoalQuery, GoalTotals } from '../../events/store/event-store.ts';
import { BUCKET_LENGTH } from '../../events/store/goal-buckets.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { botFilter } from '../../http/contract/bot-filter.ts';
import type { Period } from '../../http/contract/period.ts';
import { type TimeBucket, timeBuckets } from '../../http/contract/time-buckets.ts';

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
  { id: propertyId, timeZone: zoneName }: Pick<PropertyConfiguration, 'id' | 'timeZone'>,
  goal: Goal,
  period: Period,
  bots: Bots,
): Promise<GoalProgress> {
  const { from, to, interval, now, compare } = period;
  const zone = timeZone(zoneName);
  const ofGoal = { propertyId, goalId: goal.id };
  const scope = { ...ofGoal, ...botFilter(bots) };
  const before = previousPeriod(zone, period, now, compare);
  const hasAllBuckets = (to - from) / BUCKET_LENGTH[interval] <= MAX_EMPTY_BUCKETS;
  const buckets = hasAllBuckets ? timeBuckets(zone, interval, period) : undefined;
  const starts = buckets?.map(({ at }) => before.counterpart(Math.max(at, from))) ?? [];
  const [current, previous, series, previousSeries, { increments, decrements }] = await Promise.all([
    eventStore.goalTotals({ ...scope, from, to }),
    eventStore.goalTotals({ ...scope, from: before.from, to: before.to }),
    eventStore.goalSeries({ ...scope, from, to, interval, timeZone: zone.name }),
    previousBuckets(eventStore, { ...scope, from: before.from, to: before.to, starts }),
    eventStore.goalTotals({ ...ofGoal, from, to, bot: true }),
  ]);
  const bucketOf = ({ at, partial }: TimeBucket, found: GoalTotals = NOTHING): Bucket => ({
    at,
    ...progressOf(goal, found),
    ...(partial && { partial }),
  });
  const byTime = new Map(series.map((bucket) => [bucket.at, bucket]));
  return {
    goalId: goal.id,
    kind: goal.kind,
    timeZone: zone.name,
    current: totals(goal, current),
    previous: totals(goal, previous),
    previousPeriod: { from: before.from, to: before.to },
    bots: { increments, decrements },
    series: (buckets ?? series).map((bucket) => bucketOf(bucket, byTime.get(bucket.at))),
    previousSeries: previousSeries.map(
      (found, index) => found && bucketOf({ ...buckets![index]!, at: found.at }, found),
    ),
  };
}

/**
 * What each bucket of the current period is compared with; null for those without a counterpart, such as those that
 * have not begun, or the second of two equal hours when clocks are set back.
 */
async function previousBuckets(
  eventStore: GoalQueries,
  query: GoalQuery & { starts: number[] },
): Promise<(GoalBucket | null)[]> {
  const { starts, to } = query;
  const isListed = (at: number, index: number) => at < to && (index === 0 || at > starts[index - 1]!);
  const distinct = starts.filter(isListed);
  if (distinct.length === 0) return starts.map(() => null);
  const found = await eventStore.goalSeries({ ...query, starts: distinct });
  const byTime = new Map(found.map((bucket) => [bucket.at, bucket]));
  return starts.map((at, index) => (isListed(at, index) ? (byTime.get(at) ?? { at, ...NOTHING }) : null));
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
function progressOf(goal: Goal, found: GoalTotals): Omit<Bucket, 'at' | 'partial'> {
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
