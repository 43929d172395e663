import { MICROS } from '@switchyard/core/money';
import type { GoalBaseline, GoalBaselineQuery } from '../../../store/event-store.ts';
import { recordsOf } from '../../connection/sql.ts';
import { isConverted } from '../goals/goal-terms.ts';
import type { QueryContext } from '../query-context.ts';

const EMPTY: GoalBaseline = {
  visitors: 0,
  converted: 0,
  conversions: { sum: 0, sumSquares: 0 },
  amount: { sum: 0, sumSquares: 0 },
};

type BaselineRow = Record<
  'visitors' | 'converted' | 'conversions' | 'conversion_squares' | 'micros' | 'micro_squares',
  bigint | number | null
>;

/** Visitors of a period and their conversions of a goal. */
export async function goalBaseline(
  { connection, terms, sources, namingCollects }: QueryContext,
  { propertyId, goalId, from, to, isRevenue = false }: GoalBaselineQuery,
): Promise<GoalBaseline> {
  const property = terms.find(propertyId);
  if (property === undefined) return EMPTY;
  const goal = terms.find(goalId) ?? -1;
  const converted = isConverted([{ term: goal, isRevenue }], 'n', 'a');
  const [row] = await recordsOf<BaselineRow>(
    connection,
    `WITH session_visitors AS (
       SELECT session_key, arg_max(visitor_key, ${sources.collectOrder}) AS visitor_key FROM collects
       WHERE property = $1 AND ${namingCollects} GROUP BY session_key),
     units AS (
       SELECT DISTINCT coalesce(visitor_key, session_key) AS unit FROM sessions LEFT JOIN session_visitors USING (session_key)
       WHERE property = $1 AND started_at >= $3 AND started_at < $4),
     outcomes AS (
       SELECT unit, any_value(goal) AS goal, sum(direction)::DOUBLE AS n, sum(amount_micros)::DOUBLE AS a
       FROM (SELECT coalesce(visitor_key, session_key) AS unit, goal, direction, amount_micros
             FROM conversions LEFT JOIN session_visitors USING (session_key)
             WHERE property = $1 AND goal = $2 AND happened_at >= $3 AND happened_at < $4
               AND session_key IS NOT NULL)
       SEMI JOIN units USING (unit) GROUP BY unit)
     SELECT (SELECT count(*) FROM units) AS visitors, count(*) FILTER (${converted}) AS converted,
            sum(n) AS conversions, sum(n * n) AS conversion_squares, sum(a) AS micros, sum(a * a) AS micro_squares
     FROM outcomes`,
    [property, goal, from, to],
  );
  if (!row) return EMPTY;
  return {
    visitors: Number(row.visitors),
    converted: Number(row.converted),
    conversions: { sum: Number(row.conversions ?? 0), sumSquares: Number(row.conversion_squares ?? 0) },
    amount: {
      sum: Number(row.micros ?? 0) / MICROS,
      sumSquares: Number(row.micro_squares ?? 0) / MICROS ** 2,
    },
  };
}
