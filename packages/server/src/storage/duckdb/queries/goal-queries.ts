import type { Interval } from '@switchyard/core/api/goals';
import type { GoalBucket, GoalQuery, GoalSeriesQuery, GoalTotals } from '../../event-store.ts';
import { BUCKET_LENGTH, BUCKET_ORIGIN } from '../../goal-buckets.ts';
import { rowsOf, type SqlValue } from '../sql.ts';
import type { QueryContext } from './query-context.ts';

const OF_GOAL =
  'FROM conversions WHERE property = $1 AND goal = $2 AND happened_at >= $3 AND happened_at < $4';

const SUMS = `count(*) FILTER (direction > 0), count(*) FILTER (direction < 0),
  sum(amount_micros) FILTER (direction > 0), sum(-amount_micros) FILTER (direction < 0)`;

type Sums = [increments: bigint, decrements: bigint, incremented: bigint | null, decremented: bigint | null];

export async function goalTotals(context: QueryContext, query: GoalQuery): Promise<GoalTotals> {
  const values = valuesOf(context, query);
  const rows = values ? await rowsOf<Sums>(context.connection, `SELECT ${SUMS} ${OF_GOAL}`, values) : [];
  return totalsOf(rows[0] ?? [0n, 0n, null, null]);
}

export async function goalSeries(context: QueryContext, query: GoalSeriesQuery): Promise<GoalBucket[]> {
  const values = valuesOf(context, query);
  if (!values) return [];
  const rows = await rowsOf<[bigint, ...Sums]>(
    context.connection,
    `SELECT ${bucketOf(query.interval)} AS bucket, ${SUMS} ${OF_GOAL} GROUP BY bucket ORDER BY bucket`,
    values,
  );
  return rows.map(([at, ...sums]) => ({ at: Number(at), ...totalsOf(sums) }));
}

/** SQL for the start of the bucket of `happened_at`. */
export function bucketOf(interval: Interval): string {
  const [length, origin] = [BUCKET_LENGTH[interval], BUCKET_ORIGIN[interval]];
  return `(happened_at - ((happened_at - ${origin}) % ${length} + ${length}) % ${length})`;
}

function totalsOf([increments, decrements, incremented, decremented]: Sums): GoalTotals {
  return {
    increments: Number(increments),
    decrements: Number(decrements),
    incrementedMicros: incremented ?? 0n,
    decrementedMicros: decremented ?? 0n,
  };
}

function valuesOf({ terms }: QueryContext, query: GoalQuery): SqlValue[] | undefined {
  const property = terms.find(query.propertyId);
  const goal = terms.find(query.goalId);
  return property === undefined || goal === undefined ? undefined : [property, goal, query.from, query.to];
}
