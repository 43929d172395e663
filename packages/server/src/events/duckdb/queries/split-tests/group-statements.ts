import type { SplitTestQuery } from '../../../store/split-test-queries.ts';
import { type GoalTerm, isConverted } from '../goals/goal-terms.ts';
import { BEFORE_SUMS, COVARIATE_SUMS, GOAL_SUMS, type SumType, sumColumns } from './group-rows.ts';
import type { LargestSegments } from './largest-segments.ts';
import type { ReachedGoals } from './reached-goals.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';
import type { VisitorsBeforeTest } from './visitors-before-test.ts';

export type DatedQuery = SplitTestQuery & { earlyUntil: number; sumType: SumType };

export interface GroupQuery {
  visitors: SplitTestVisitors;
  segments: LargestSegments;
  query: DatedQuery;
  goals: readonly GoalTerm[];
  reached: ReachedGoals;
  /** Only with `preDays`. */
  before: VisitorsBeforeTest | undefined;
}

/** SQL that returns rows of groups. */
export type Statement = (groupQuery: GroupQuery) => string;

/** All visitors, with their conversions; without covariates. */
export function allStatement(groupQuery: GroupQuery): string {
  const { goals, visitors, segments } = groupQuery;
  if (goals.length === 0) return visitorStatement(groupQuery);
  const noSums = Object.keys(GOAL_SUMS).slice(1).fill('NULL').join(', ');
  return `${goalStatement(groupQuery, visitors.units)}
    UNION ALL
    SELECT kind, NULL, segment_name, is_other, count(*), ${noSums}
    FROM (SELECT kind, ${segments.columns} FROM ${segments.joined('units')})
    GROUP BY kind, segment_name, is_other
    ORDER BY kind, segment_name, is_other, goal`;
}

/** The conversions only: grouping the visitors who have some is a fraction of the work. */
export function convertedStatement(groupQuery: GroupQuery): string {
  return goalStatement(
    groupQuery,
    groupQuery.visitors.countedUnits('WHERE unit IN (SELECT unit FROM reached)'),
  );
}

/** All visitors, without their conversions. */
export function visitorStatement({ visitors, segments, before }: GroupQuery): string {
  if (before) {
    return `WITH ${visitors.tables},
    units AS MATERIALIZED (${visitors.units})
    ${segments.tables}, ${before.tables}
    SELECT kind, ${segments.columns}, NULL AS goal, count(*) AS converted, ${sumColumns(BEFORE_SUMS)}
    FROM ${before.joined(segments.joined('units'))} GROUP BY ALL ORDER BY ALL`;
  }
  return `WITH ${visitors.tables},
    units AS ${visitors.segments.isSegmented ? 'MATERIALIZED' : ''} (${visitors.unitKinds})
    ${segments.tables}
    SELECT kind, ${segments.columns}, NULL AS goal, count(*) AS converted
    FROM ${segments.joined('units')} GROUP BY ALL ORDER BY ALL`;
}

function goalStatement(groupQuery: GroupQuery, units: string): string {
  const { visitors, segments, query, goals, reached, before } = groupQuery;
  const isCapped = query.winsorize !== undefined;
  // NULL, if there is no cap, is ignored by both functions.
  const capped = (column: string, cap: string) =>
    isCapped ? `greatest(least(${column}, ${cap}), -${cap}) AS ${column}` : column;
  const covariates = before ? `, ${capped('n0', 'n_cap')}, ${capped('a0', 'a_cap')}, s0, r0` : '';
  const outcomes = `${segments.joined('outcomes')} ${isCapped ? 'LEFT JOIN caps USING (goal)' : ''}`;
  return `WITH ${reached.tables},
    units AS MATERIALIZED (${units})
    ${segments.tables}${before ? `, ${before.tables}` : ''},
    outcomes AS ${isCapped ? 'MATERIALIZED' : ''} (
      SELECT unit, goal, any_value(kind) AS kind,
             ${visitors.segments.isSegmented ? 'any_value(segment) AS segment,' : ''} ${outcomeColumns(groupQuery)}
      FROM reached JOIN units USING (unit)
      WHERE ${visitors.kinds.isCounted} AND ${isOutcome(groupQuery)}
      GROUP BY unit, goal)
    ${isCapped ? capsTable(groupQuery) : ''},
    values_ AS (
      SELECT goal, kind, ${segments.columns}, ${isConverted(goals, 'n', 'a')} AS converted,
             ${capped('n', 'n_cap')}, ${capped('a', 'a_cap')}${covariates}
      FROM ${before ? before.joined(outcomes) : outcomes})
    SELECT kind, goal, segment_name, is_other,
           ${sumColumns(before ? { ...GOAL_SUMS, ...COVARIATE_SUMS } : GOAL_SUMS)}
    FROM values_ GROUP BY kind, goal, segment_name, is_other`;
}

function isOutcome({ visitors, query: { preDays } }: GroupQuery): string {
  const { exposures } = visitors;
  return preDays === 0
    ? exposures.inWindow
    : `((${exposures.inWindow}) OR ${exposures.isBefore('happened_at')})`;
}

/** Count and amount of a visitor in the phase (`n`, `a`) and in the days before the test (`n0`, `a0`). */
function outcomeColumns({ visitors, query: { preDays, sumType: wide } }: GroupQuery): string {
  const sum = (column: string, filter: string) => `coalesce(sum(${column})${filter}, 0)::${wide}`;
  if (preDays === 0) return `${sum('direction', '')} AS n, ${sum('amount_micros', '')} AS a`;
  const after = ` FILTER (${visitors.exposures.inWindow})`;
  const before = ` FILTER (${visitors.exposures.isBefore('happened_at')})`;
  return `${sum('direction', after)} AS n, ${sum('amount_micros', after)} AS a,
          ${sum('direction', before)} AS n0, ${sum('amount_micros', before)} AS a0`;
}

/** The same cap for all variations and for crawlers, who do not set it; separate caps would introduce a bias. */
function capsTable({ visitors, query: { winsorize, sumType: wide } }: GroupQuery): string {
  const cap = (column: string) =>
    `quantile_disc(abs(${column}), ${winsorize}) FILTER (${column} <> 0 AND NOT ${visitors.kinds.isBot})::${wide} AS ${column}_cap`;
  return `, caps AS (SELECT goal, ${cap('n')}, ${cap('a')} FROM outcomes GROUP BY goal)`;
}
