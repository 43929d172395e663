import type { GoalBucket, GoalQuery, GoalSeriesQuery, GoalTotals } from '../../../store/event-store.ts';
import { bucketOf, type ZonedInterval } from '../../../store/goal-buckets.ts';
import { keyList, rowsOf } from '../../connection/sql.ts';
import { botCondition } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';

const OF_GOAL =
  'FROM conversions WHERE property = $1 AND goal = $2 AND happened_at >= $3 AND happened_at < $4';

const SUMS = `count(*) FILTER (direction > 0), count(*) FILTER (direction < 0),
  sum(amount_micros) FILTER (direction > 0), sum(-amount_micros) FILTER (direction < 0)`;

type Sums = [increments: bigint, decrements: bigint, incremented: bigint | null, decremented: bigint | null];

export async function goalTotals(context: QueryContext, query: GoalQuery): Promise<GoalTotals> {
  const values = valuesOf(context, query);
  const from = values && `${OF_GOAL} AND ${await whose(context, query, values)}`;
  const rows = values ? await rowsOf<Sums>(context.connection, `SELECT ${SUMS} ${from}`, values) : [];
  return totalsOf(rows[0] ?? [0n, 0n, null, null]);
}

export async function goalSeries(context: QueryContext, query: GoalSeriesQuery): Promise<GoalBucket[]> {
  const values = valuesOf(context, query);
  if (!values) return [];
  const condition = await whose(context, query, values);
  const rows = await rowsOf<[bigint, ...Sums]>(
    context.connection,
    'starts' in query
      ? `SELECT start, ${SUMS} FROM (SELECT * ${OF_GOAL} AND ${condition})
         ASOF JOIN ${keyList('$5')} AS listed(start) ON happened_at >= start GROUP BY start ORDER BY start`
      : `SELECT ${zonedBucket(query)} AS bucket, ${SUMS} ${OF_GOAL} AND ${condition}
         GROUP BY bucket ORDER BY bucket`,
    'starts' in query ? [...values, query.starts.join(',')] : values,
  );
  return rows.map(([at, ...sums]) => ({ at: Number(at), ...totalsOf(sums) }));
}

/** Condition on the conversions of the goal. */
async function whose(context: QueryContext, { bot }: GoalQuery, values: Values): Promise<string> {
  if (bot === undefined) return 'true';
  const [property] = values;
  const [row] = await rowsOf<[bigint | null]>(
    context.connection,
    `SELECT min(started_at) FROM sessions WHERE property = $1 AND session_key IN (SELECT session_key ${OF_GOAL})`,
    values,
  );
  // Few sessions convert long after they started, so most collects and exposures are not read.
  return botCondition(context, property, bot, row?.[0] ?? 0n);
}

/** SQL for the start of the bucket of `happened_at`. */
export const zonedBucket = (query: ZonedInterval & Partial<GoalQuery>): string =>
  bucketOf(query, (expression, length) => `((${expression} % ${length} + ${length}) % ${length})`);

function totalsOf([increments, decrements, incremented, decremented]: Sums): GoalTotals {
  return {
    increments: Number(increments),
    decrements: Number(decrements),
    incrementedMicros: incremented ?? 0n,
    decrementedMicros: decremented ?? 0n,
  };
}

type Values = [property: number, goal: number, from: number, to: number];

function valuesOf({ terms }: QueryContext, query: GoalQuery): Values | undefined {
  const property = terms.find(query.propertyId);
  const goal = terms.find(query.goalId);
  return property === undefined || goal === undefined ? undefined : [property, goal, query.from, query.to];
}
