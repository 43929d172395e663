import { BOT_DEVICE } from '../../../store/accepted-request.ts';
import { type AssignmentCounts, type AssignmentQuery, groupKeys } from '../../../store/assignment-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { latest } from '../sessions/latest-identity.ts';
import { startedSessions, startedUnits } from '../sessions/started-sessions.ts';
import { assignedGroup } from './assigned-variation.ts';
import { countedGoals, isConverted } from './counted-goals.ts';
import { goalSums, sumColumns } from './goal-sums.ts';
import { reachedGoals } from './reached-goals.ts';
import { visitorOutcomes } from './visitor-outcomes.ts';

/** Sums of a group for the goal with this number; 0 counts the visitors. */
type AssignedRow = [shown: number, goal: number, visitors: string, ...sums: string[]];

/** Counts visitors by the group they would be in. */
export async function assignmentCounts(
  context: QueryContext,
  query: AssignmentQuery,
): Promise<AssignmentCounts> {
  const goals = countedGoals(query);
  const parts = await partsOf(context, query);
  const rows = await assignedRows(context, query, parts);
  const rowOf = (index: number, goal: number) =>
    rows.find(([shown, number]) => shown === index + 1 && number === goal);
  return {
    share: 1 / parts,
    groups: groupKeys(query.split).map((key, index) => ({
      key,
      visitors: Number(rowOf(index, 0)?.[2] ?? 0),
      goals: goals.map(({ goalId }, at) => goalSums(goalId, rowOf(index, at + 1)?.slice(3) as string[])),
    })),
  };
}

/** The visitors are counted in one of this many equal parts; a power of two. */
async function partsOf(
  { clickhouse, signal }: QueryContext,
  { propertyId, from, to, maxSessions }: AssignmentQuery,
): Promise<number> {
  const values = new SqlValues();
  const period = { property: values.text(propertyId), from: values.integer(from), to: values.integer(to) };
  const [row] = await clickhouse.rows<[string]>(
    `SELECT count() FROM (${startedSessions(clickhouse.tables, period)})`,
    values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return 2 ** Math.max(0, Math.ceil(Math.log2(Number(row![0]) / maxSessions)));
}

function assignedRows(
  { clickhouse, signal }: QueryContext,
  { propertyId, split, from, to, ...query }: AssignmentQuery,
  parts: number,
): Promise<AssignedRow[]> {
  const { tables } = clickhouse;
  const values = new SqlValues();
  const property = values.text(propertyId);
  const goals = countedGoals(query);
  const events = reachedGoals({ tables, values, property }, { since: from, until: to }, goals);
  const period = { property, from: values.integer(from), to: values.integer(to) };
  const columns = { latest_visitor: latest('visitor_id'), is_bot: `max(device = '${BOT_DEVICE}')` };
  const visitors = `SELECT unit, any(latest_visitor) AS visitor_id, ${assignedGroup(values, split)} AS shown,
      minIf(started_at, has_started) AS first_at
      ${events ? `, groupArrayIf((${Object.keys(events.columns).join(', ')}), NOT has_started) AS events` : ''}
    FROM (${startedUnits(tables, period, events, columns)})
    WHERE latest_visitor IS NOT NULL AND sipHash64(unit) % ${values.integer(parts)} = 0
    GROUP BY unit HAVING max(has_started) AND NOT max(has_started AND is_bot) AND shown > 0`;
  const outcomes = visitorOutcomes({
    columns: ['shown'],
    select: visitors,
    goals: goals.length,
    isCounted: 'true',
    isOutcome: (time) => `${time} >= first_at`,
  });
  const sums = { n: 'n', a: 'a', converted: isConverted(goals, 'n', 'a') };
  return clickhouse.rows<AssignedRow>(
    `SELECT shown, goal, count() ${events ? `, ${sumColumns(sums)}` : ''} FROM (${outcomes})
     GROUP BY shown, goal`,
    values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
}
