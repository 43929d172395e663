import type { SplitTestQuery, VisitorGroup } from '../../event-store.ts';
import { type CountedGoal, countedGoals, isConverted } from './counted-goals.ts';
import { goalSums, sumColumns } from './goal-sums.ts';
import { largestSegments } from './largest-segments.ts';
import { MEMORY_BOUNDS } from './memory-bounds.ts';
import { capped, outcomeCaps } from './outcome-caps.ts';
import type { QueryContext } from './query-context.ts';
import { reachedGoals } from './reached-goals.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';
import { visitorOutcomes } from './visitor-outcomes.ts';

type DatedQuery = SplitTestQuery & { earlyUntil: number };

/** Sums of a group of visitors for the goal with this number; 0 counts the visitors. */
type GroupRow = [
  ...[isBot: boolean, isEarly: boolean, shown: number, segment: string | null, isOther: boolean],
  ...[goal: number, visitors: string, ...sums: string[]],
];

/** Counts visitors by group. */
export async function countVisitors(
  { clickhouse }: QueryContext,
  query: DatedQuery,
  signal?: AbortSignal,
): Promise<VisitorGroup[]> {
  const { preDays, winsorize } = query;
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const goals = countedGoals(query);
  const { tables } = clickhouse;
  const { values, property } = visitors;
  const events = reachedGoals({ tables, values, property }, query, goals);
  const isEarly = `toBool(first_at < ${values.integer(query.earlyUntil)})`;
  const outcomes = visitorOutcomes({
    columns: ['is_bot', 'is_early', 'shown', ...(visitors.isSegmented ? ['segment'] : [])],
    select: `SELECT *, ${isEarly} AS is_early FROM (${visitors.units(events)})`,
    ...{ hasEvents: events !== undefined, preDays },
  });
  const segments = largestSegments(visitors, query.by?.max ?? 0);
  const [n, a] = winsorize === undefined ? ['n', 'a'] : [capped('n'), capped('a')];
  const converted = isConverted(goals, 'n', 'a');
  const rows = await clickhouse.rows<GroupRow>(
    `${winsorize === undefined ? '' : `WITH ${outcomeCaps(outcomes, winsorize)} AS caps`}
     SELECT is_bot, is_early, shown, ${segments.name} AS name, ${segments.isOther} AS is_other, goal, count()
            ${events ? `, ${sumColumns({ n, a, converted, hasCovariate: preDays > 0 })}` : ''}
     FROM (${outcomes})
     GROUP BY is_bot, is_early, shown, name, is_other, goal ORDER BY is_bot, is_early, shown, name, is_other, goal`,
    values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return groupsOf(visitors, goals, rows);
}

function groupsOf(
  visitors: SplitTestVisitors,
  goals: readonly CountedGoal[],
  rows: readonly GroupRow[],
): VisitorGroup[] {
  const groups = new Map<string, VisitorGroup>();
  for (const [bot, early, shown, segment, other, goal, count, ...sums] of rows) {
    const key = JSON.stringify([bot, early, shown, segment, other]);
    const group = groups.get(key) ?? {
      ...{ variationKey: visitors.variationKey(shown), bot, early, segment, other },
      ...{ visitors: 0, goals: [] },
    };
    groups.set(key, group);
    if (goal === 0) group.visitors = Number(count);
    else group.goals.push(goalSums(goals[goal - 1]!.goalId, sums));
  }
  return [...groups.values()];
}
