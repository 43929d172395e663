import type { ExposedSessions } from '../../../store/session-conditions.ts';
import { type GoalTerm, isConverted } from '../goals/goal-terms.ts';
import type { QueryContext } from '../query-context.ts';
import { SplitTestVisitors } from '../split-tests/split-test-visitors.ts';
import type { SessionCondition } from './session-condition.ts';

/** Sessions with an exposure in one phase of a test, by what their visitor saw and did; undefined: there are none. */
export function exposedCondition(
  context: QueryContext,
  propertyId: string,
  { variationKey, multipleVariations, converted, ...phase }: ExposedSessions,
): SessionCondition | undefined {
  const { terms } = context;
  const visitors = SplitTestVisitors.of(context, { propertyId, ...phase });
  const variation = variationKey === undefined ? undefined : terms.find(variationKey);
  if (!visitors || (variationKey !== undefined && variation === undefined)) return undefined;
  const { exposures, kinds } = visitors;
  const goal = converted && { term: terms.find(converted.goalId) ?? -1, isRevenue: converted.isRevenue };
  const reached =
    goal &&
    `property = ${visitors.property} AND session_key IS NOT NULL AND goal = ${goal.term}
      AND happened_at < ${phase.until}`;
  visitors.resolveWithin(
    reached ? [`SELECT session_key FROM conversions WHERE ${reached} AND unit_key IS NULL`] : [],
  );
  const tables = [visitors.tables, `visitors AS (${visitors.units})`];
  if (goal && reached) tables.push(`converted AS (${convertedUnits(visitors, goal, reached)})`);
  const conditions = [exposures.inPhase];
  if (variation !== undefined) conditions.push(`variation = ${variation}`);
  if (multipleVariations !== undefined) conditions.push(`${kinds.isMixed} = ${multipleVariations}`);
  if (converted) conditions.push(`unit ${converted.value ? 'IN' : 'NOT IN'} (SELECT unit FROM converted)`);
  const sql = `session_key IN (
    WITH ${tables.join(', ')}
    SELECT session_key FROM exposures ${visitors.joinUnits('exposures')}
      JOIN visitors ON unit = ${visitors.unitOf('exposures')}
    WHERE ${conditions.join(' AND ')})`;
  return () => sql;
}

/** SELECT of the visitors who converted in the phase; `reached` is the condition on conversions of the goal. */
function convertedUnits(visitors: SplitTestVisitors, goal: GoalTerm, reached: string): string {
  return `SELECT unit FROM (
      SELECT ${visitors.unitOf('conversions')} AS unit, goal, happened_at, direction, amount_micros
      FROM conversions ${visitors.joinUnits('conversions')} WHERE ${reached})
    JOIN visitors USING (unit) WHERE ${visitors.exposures.inWindow}
    GROUP BY unit, goal HAVING ${isConverted([goal], 'sum(direction)', 'sum(amount_micros)')}`;
}
