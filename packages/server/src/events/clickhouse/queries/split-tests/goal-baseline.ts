import { MICROS } from '@switchyard/core/money';
import type { GoalBaseline, GoalBaselineQuery } from '../../../store/event-store.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { startedUnits } from '../sessions/started-sessions.ts';
import { isConverted } from './counted-goals.ts';
import { reachedGoals } from './reached-goals.ts';

/** Visitors of a period and their conversions of a goal. */
export async function goalBaseline(
  { clickhouse, signal }: QueryContext,
  { propertyId, goalId, from, to, isRevenue = false }: GoalBaselineQuery,
): Promise<GoalBaseline> {
  const { tables } = clickhouse;
  const values = new SqlValues();
  const property = values.text(propertyId);
  const period = { property, from: values.integer(from), to: values.integer(to) };
  const goals = [{ goalId, isRevenue }];
  const reached = reachedGoals({ tables, values, property }, { since: from, until: to }, goals);
  const [row] = await clickhouse.rows<string[]>(
    `SELECT count(), countIf(${isConverted(goals, 'n', 'a')}),
            toString(sum(n)), toString(sum(toInt256(n) * n)), toString(sum(a)), toString(sum(toInt256(a) * a))
     FROM (
       SELECT 1 AS goal, sum(toInt128(direction)) AS n, sum(toInt128(micros)) AS a
       FROM (${startedUnits(tables, period, reached)}) GROUP BY unit HAVING max(has_started))`,
    values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  const [visitors = 0, converted = 0, n = 0, nSquares = 0, micros = 0, microSquares = 0] = row!.map(Number);
  return {
    visitors,
    converted,
    conversions: { sum: n, sumSquares: nSquares },
    amount: { sum: micros / MICROS, sumSquares: microSquares / MICROS ** 2 },
  };
}
