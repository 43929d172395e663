import type { GoalBucket, GoalQuery, GoalSeriesQuery, GoalTotals } from '../../../store/event-store.ts';
import { bucketOf, type ZonedInterval } from '../../../store/goal-buckets.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { botCondition } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';

/** As text, because sums of 64-bit integers can be larger. */
const SUMS = `countIf(direction > 0), countIf(direction < 0),
  toString(sumIf(toInt128(amount_micros), direction > 0)), toString(sumIf(-toInt128(amount_micros), direction < 0))`;

type Sums = [increments: string, decrements: string, incremented: string, decremented: string];

export async function goalTotals({ clickhouse }: QueryContext, query: GoalQuery): Promise<GoalTotals> {
  const values = new SqlValues();
  const rows = await clickhouse.rows<Sums>(
    `SELECT ${SUMS} ${ofGoal(clickhouse.tables, query, values)}`,
    values.parameters,
  );
  return totalsOf(rows[0] as Sums);
}

export async function goalSeries(
  { clickhouse }: QueryContext,
  query: GoalSeriesQuery,
): Promise<GoalBucket[]> {
  const values = new SqlValues();
  const bucket =
    'starts' in query ? `roundDown(happened_at, ${values.integers(query.starts)})` : zonedBucket(query);
  const rows = await clickhouse.rows<[string, ...Sums]>(
    `SELECT ${bucket} AS bucket, ${SUMS} ${ofGoal(clickhouse.tables, query, values)}
     GROUP BY bucket ORDER BY bucket`,
    values.parameters,
  );
  return rows.map(([at, ...sums]) => ({ at: Number(at), ...totalsOf(sums) }));
}

/** SQL for the start of the bucket of `happened_at`. */
export const zonedBucket = (query: ZonedInterval & Partial<GoalQuery>): string =>
  bucketOf(
    query,
    (expression, length) => `positiveModulo(${expression}, ${length})`,
    // Signed, like the times.
    (start) => `toInt64(${start})`,
  );

function ofGoal(tables: TableNames, query: GoalQuery, values: SqlValues): string {
  const property = values.text(query.propertyId);
  const isWanted =
    query.bot === undefined ? 'true' : botCondition(tables, `property = ${property}`, query.bot);
  return `FROM ${tables.of('conversions')}
    WHERE property = ${property} AND goal = ${values.text(query.goalId)}
      AND happened_at >= ${values.integer(query.from)} AND happened_at < ${values.integer(query.to)}
      AND ${countsOnce(tables, property)} AND ${isWanted}`;
}

function totalsOf([increments, decrements, incremented, decremented]: Sums): GoalTotals {
  return {
    increments: Number(increments),
    decrements: Number(decrements),
    incrementedMicros: BigInt(incremented),
    decrementedMicros: BigInt(decremented),
  };
}
