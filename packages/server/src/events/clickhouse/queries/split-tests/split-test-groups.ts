import type { SplitTestQuery, VisitorGroup } from '../../../store/split-test-queries.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { type CountedGoal, countedGoals, isConverted, uncountedGoals } from './counted-goals.ts';
import {
  BEFORE_COLUMNS,
  BEFORE_LENGTH,
  goalSums,
  type OutcomeColumns,
  sumColumns,
  visitorsBefore,
} from './goal-sums.ts';
import { largestSegments } from './largest-segments.ts';
import { cappedOutcomes, outcomeCaps } from './outcome-caps.ts';
import { reachedGoals } from './reached-goals.ts';
import { sessionsBefore } from './sessions-before.ts';
import { IS_COUNTED, SplitTestVisitors, type VisitorEvents } from './split-test-visitors.ts';
import { visitorOutcomes } from './visitor-outcomes.ts';

type DatedQuery = SplitTestQuery & {
  earlyUntil: number;
  /** Nothing that happened earlier matters. */
  since: number;
};

/** Sums of a group of visitors for the goal with this number; 0 counts the visitors. */
type GroupRow = [
  isBot: boolean,
  isEarly: boolean,
  shown: number,
  firstShown: number,
  moved: boolean,
  isReturning: boolean,
  segment: string | null,
  isOther: boolean,
  goal: number,
  visitors: string,
  ...sums: string[],
];

const GROUP = 'is_bot, is_early, shown, first_shown, moved, is_returning';

/** So that the text is the same as in JavaScript; what else the engine escapes is undone below. */
const SETTINGS = { ...MEMORY_BOUNDS, output_format_json_escape_forward_slashes: 0 as const };

export async function countVisitors(
  { clickhouse, signal }: QueryContext,
  query: DatedQuery,
): Promise<VisitorGroup[]> {
  const { preDays, winsorize } = query;
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const { values } = visitors;
  const goals = countedGoals(query);
  const events = eventsOf(clickhouse.tables, visitors, query, goals);
  const isEarly = `toBool(first_at < ${values.integer(query.earlyUntil)})`;
  const outcomes = visitorOutcomes({
    columns: [GROUP, ...(visitors.isSegmented ? ['segment'] : [])],
    select: `SELECT *, ${isEarly} AS is_early FROM (${visitors.units(events)})`,
    goals: goals.length,
    isCounted: IS_COUNTED,
    isOutcome: (time) => visitors.isOutcome(time),
    covariate: preDays > 0 ? { preDays, revenueGoals: revenueGoals(query, goals) } : undefined,
  });
  const segments = largestSegments(visitors, query.by?.max ?? 0);
  const sums = [
    ...(preDays > 0 ? [BEFORE_COLUMNS] : []),
    ...(goals.length > 0 ? [sumColumns(outcomeColumns(query))] : []),
  ];
  const columns = [
    ...(segments.isLargest === undefined ? [] : [segments.isLargest]),
    ...(goals.length > 0 ? [`${isConverted(goals, 'n', 'a')} AS is_converted`] : []),
  ];
  const prepared = columns.length === 0 ? outcomes : `SELECT *, ${columns.join(', ')} FROM (${outcomes})`;
  const isCapped = winsorize !== undefined && goals.length > 0;
  const rows = await clickhouse.rows<GroupRow>(
    `${isCapped ? `WITH ${outcomeCaps(outcomes, winsorize)} AS caps` : ''}
     SELECT ${GROUP}, ${segments.name} AS name, ${segments.isOther} AS is_other, goal, ${['count()', ...sums].join(', ')}
     FROM (${isCapped ? cappedOutcomes(prepared, preDays > 0) : prepared})
     GROUP BY ${GROUP}, name, is_other, goal ORDER BY ${GROUP}, name, is_other, goal`,
    values.parameters,
    signal,
    SETTINGS,
  );
  return groupsOf(query, goals, rows);
}

/** What visitors did; undefined if nothing of it matters. */
function eventsOf(
  tables: TableNames,
  visitors: SplitTestVisitors,
  query: DatedQuery,
  goals: readonly CountedGoal[],
): VisitorEvents | undefined {
  const { values, property } = visitors;
  const { since, until, endsAt, preDays } = query;
  const scope = { tables, values, property };
  if (preDays === 0) return reachedGoals(scope, { since, until }, goals);
  const reached = reachedGoals(scope, { since, until }, [...goals, ...uncountedGoals(query)]);
  const period = { property, from: values.integer(since), to: values.integer(endsAt) };
  const sessions = sessionsBefore(tables, period, visitors.exposures.where({ all: true }));
  if (!reached) return sessions;
  return {
    columns: reached.columns,
    select: `${reached.select} UNION ALL ${sessions.select}`,
    sessions: [...reached.sessions, ...sessions.sessions],
  };
}

/** Numbers of the goals whose revenue is a covariate. */
function revenueGoals(query: SplitTestQuery, goals: readonly CountedGoal[]): number[] {
  const { covariateGoalIds = [] } = query;
  return [...goals, ...uncountedGoals(query)].flatMap(({ goalId, feedback }, index) =>
    !feedback && covariateGoalIds.includes(goalId) ? [index + 1] : [],
  );
}

function outcomeColumns({ preDays, winsorize }: SplitTestQuery): OutcomeColumns {
  const value = (name: string) => (winsorize === undefined ? name : `capped_${name}`);
  return {
    n: value('n'),
    a: value('a'),
    converted: 'is_converted',
    covariate: preDays > 0 ? { n0: value('n0'), a0: value('a0') } : undefined,
  };
}

function groupsOf(
  query: SplitTestQuery,
  goals: readonly CountedGoal[],
  rows: readonly GroupRow[],
): VisitorGroup[] {
  const { preDays, variationKeys } = query;
  const hasText = (query.by?.attributes.length ?? 0) > 1;
  const groups = new Map<string, VisitorGroup>();
  for (const [bot, early, shown, first, moved, returning, name, other, goal, count, ...sums] of rows) {
    const key = JSON.stringify([bot, early, shown, first, moved, returning, name, other]);
    const group = groups.get(key) ?? {
      variationKey: variationKeys[shown - 1] ?? null,
      firstVariationKey: variationKeys[first - 1]!,
      moved,
      returning,
      bot,
      early,
      segment: name !== null && hasText ? JSON.stringify(JSON.parse(name)) : name,
      other,
      visitors: 0,
      before: null,
      goals: [],
    };
    groups.set(key, group);
    const ofGoal = preDays > 0 ? sums.slice(BEFORE_LENGTH) : sums;
    if (goal > 0) group.goals.push(goalSums(goals[goal - 1]!.goalId, ofGoal));
    else {
      group.visitors = Number(count);
      if (preDays > 0) group.before = visitorsBefore(sums.slice(0, BEFORE_LENGTH));
    }
  }
  return [...groups.values()];
}
