import type { GoalBucket, GoalQuery, GoalSeriesQuery, GoalTotals } from '../../event-store.ts';
import { BUCKET_LENGTH, BUCKET_ORIGIN } from '../../goal-buckets.ts';
import { rowsOf, type SqlValue } from '../sql.ts';
import type { QueryContext } from './query-context.ts';

const OF_GOAL =
  'FROM conversions WHERE property = $1 AND goal = $2 AND happened_at >= $3 AND happened_at < $4';

export async function goalTotals(context: QueryContext, query: GoalQuery): Promise<GoalTotals> {
  const values = valuesOf(context, query);
  const rows = values
    ? await rowsOf<[bigint, bigint, bigint | null, bigint | null]>(
        context.connection,
        `SELECT count(*) FILTER (direction > 0), count(*) FILTER (direction < 0),
                sum(amount_micros) FILTER (direction > 0), sum(-amount_micros) FILTER (direction < 0) ${OF_GOAL}`,
        values,
      )
    : [];
  const [increments, decrements, incremented, decremented] = rows[0] ?? [0n, 0n, null, null];
  return {
    increments: Number(increments),
    decrements: Number(decrements),
    incrementedMicros: incremented ?? 0n,
    decrementedMicros: decremented ?? 0n,
  };
}

export async function goalSeries(context: QueryContext, query: GoalSeriesQuery): Promise<GoalBucket[]> {
  const values = valuesOf(context, query);
  if (!values) return [];
  const rows = await rowsOf<[bigint, bigint, bigint]>(
    context.connection,
    `SELECT happened_at - ((happened_at - $6) % $5 + $5) % $5 AS bucket, sum(direction), sum(amount_micros)
     ${OF_GOAL} GROUP BY bucket ORDER BY bucket`,
    [...values, BUCKET_LENGTH[query.interval], BUCKET_ORIGIN[query.interval]],
  );
  return rows.map(([at, count, amountMicros]) => ({ at: Number(at), count: Number(count), amountMicros }));
}

function valuesOf({ terms }: QueryContext, query: GoalQuery): SqlValue[] | undefined {
  const property = terms.find(query.propertyId);
  const goal = terms.find(query.goalId);
  return property === undefined || goal === undefined ? undefined : [property, goal, query.from, query.to];
}
