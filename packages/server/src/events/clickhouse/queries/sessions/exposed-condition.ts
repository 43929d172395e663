import type { ExposedSessions } from '../../../store/session-conditions.ts';
import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { isConverted } from '../split-tests/counted-goals.ts';
import { KIND } from '../split-tests/phase-exposures.ts';
import { reachedGoals } from '../split-tests/reached-goals.ts';
import { SplitTestVisitors } from '../split-tests/split-test-visitors.ts';
import { SESSION_KEY } from '../units.ts';

/**
 * Condition on rows of sessions: those with an exposure in one phase of a test, by what their visitor saw and did. GLOBAL,
 * because the sessions of a visitor are on several shards.
 */
export function exposedCondition(
  tables: TableNames,
  values: SqlValues,
  propertyId: string,
  { variationKey, multipleVariations, converted, ...phase }: ExposedSessions,
): string {
  const visitors = new SplitTestVisitors(tables, { propertyId, ...phase }, values);
  const conditions = [`kind = ${KIND.own}`];
  if (variationKey !== undefined) {
    conditions.push(`position = ${values.integer(phase.variationKeys.indexOf(variationKey) + 1)}`);
  }
  if (multipleVariations !== undefined || converted !== undefined) {
    conditions.push(
      `unit IN (${matchingUnits(tables, visitors, { multipleVariations, converted, until: phase.until })})`,
    );
  }
  return `${SESSION_KEY} GLOBAL IN (
    SELECT session FROM (${visitors.rows()}) WHERE ${conditions.join(' AND ')})`;
}

function matchingUnits(
  tables: TableNames,
  visitors: SplitTestVisitors,
  {
    multipleVariations,
    converted,
    until,
  }: Pick<ExposedSessions, 'multipleVariations' | 'converted' | 'until'>,
): string {
  const shown = multipleVariations === undefined ? 'true' : multipleVariations ? 'shown = 0' : 'shown > 0';
  if (converted === undefined) return `SELECT unit FROM (${visitors.units()}) WHERE ${shown}`;
  // Any time after the first exposure, which may be earlier than the phase.
  const period = { since: Number.MIN_SAFE_INTEGER, until };
  const goals = [converted];
  const { values, property } = visitors;
  const events = reachedGoals({ tables, values, property }, period, goals);
  const [n, a] = [3, 4].map((index) => `sum(toInt128(event.${index}))`) as [string, string];
  return `SELECT unit FROM (
      SELECT unit, 1 AS goal, arrayJoin(arrayPushFront(${visitors.outcomes}, (0, 0, 0, 0))) AS event
      FROM (${visitors.units(events)}) WHERE ${shown})
    GROUP BY unit, goal HAVING ${converted.value ? '' : 'NOT '}(${isConverted(goals, n, a)})`;
}
