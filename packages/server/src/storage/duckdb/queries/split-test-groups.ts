import type { DuckDBConnection } from '@duckdb/node-api';
import { MICROS } from '@switchyard/core/money';
import { DAY_MS } from '@switchyard/core/time';
import type { GoalSums, SplitTestQuery, ValueSums, VisitorGroup } from '../../event-store.ts';
import { recordsOf } from '../sql.ts';
import { type GoalTerm, goalTermsOf, isConverted } from './goal-terms.ts';
import { LargestSegments } from './largest-segments.ts';
import type { QueryContext } from './query-context.ts';
import { ReachedGoals } from './reached-goals.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/** Integers, so that results do not depend on the order of arrival; DOUBLE if the sums overflow. */
export type SumType = 'HUGEINT' | 'DOUBLE';

type DatedQuery = SplitTestQuery & { earlyUntil: number; sumType: SumType };

const COLUMNS = [
  'converted',
  'conversions',
  'conversion_squares',
  'conversions_before',
  'conversion_squares_before',
  'conversion_products',
  'micros',
  'micro_squares',
  'micros_before',
  'micro_squares_before',
  'micro_products',
  'converted_micros',
  'converted_before',
] as const;

/** Sums of a group of visitors for a goal; if `goal` is null, `converted` is the number of visitors. */
type GroupRow = Record<(typeof COLUMNS)[number], bigint | number> & {
  bits: bigint | number;
  goal: number | null;
  segment_name: string | null;
  is_other: boolean;
};

/** Counts visitors by group, in as many parts as the memory requires; each visitor is in one part. */
export async function countVisitors(
  context: QueryContext,
  query: DatedQuery,
  exposures: number,
): Promise<VisitorGroup[]> {
  const goals = goalTermsOf(context, query);
  // A quantile needs all values at once.
  const parts =
    query.winsorize === undefined ? 2 ** Math.ceil(Math.log2(exposures / context.maxVisitors)) : 1;
  const of = Math.max(1, parts);
  const rows = new Map<string, GroupRow>();
  const visitors = SplitTestVisitors.of(context, query) as SplitTestVisitors;
  const reached = new ReachedGoals(visitors, query, goals);
  await visitors.resolve(context.connection, reached.unresolved);
  const segments = new LargestSegments(visitors, query.by?.max ?? 0);
  if (query.by && of > 1) await segments.findInParts(context.connection, of);
  for (let index = 0; index < of; index++) {
    visitors.part = of > 1 ? { index, of } : undefined;
    for (const row of await groupRows(context.connection, { visitors, segments, query, goals, reached }))
      addRow(rows, row);
  }
  return groupsOf(visitors, goals, [...rows.values()]);
}

const keyOf = ({ bits, segment_name, is_other }: GroupRow) =>
  `${bits} ${is_other} ${JSON.stringify(segment_name)}`;

/** Adds the sums of a part, still as integers. */
function addRow(rows: Map<string, GroupRow>, row: GroupRow): void {
  const key = `${row.goal} ${keyOf(row)}`;
  const sum = rows.get(key);
  if (!sum) {
    rows.set(key, row);
    return;
  }
  for (const column of COLUMNS) {
    const [left, right] = [sum[column], row[column]];
    sum[column] =
      typeof left === 'bigint' && typeof right === 'bigint' ? left + right : Number(left) + Number(right);
  }
}

function groupsOf(
  visitors: SplitTestVisitors,
  goals: readonly { goalId: string; term: number }[],
  rows: readonly GroupRow[],
): VisitorGroup[] {
  const groups = new Map<string, VisitorGroup>();
  const goalIds = new Map(goals.map(({ term, goalId }) => [term, goalId]));
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key) ?? {
      ...visitors.read(row.bits),
      ...{ segment: row.segment_name, other: row.is_other },
      ...{ visitors: 0, goals: [] },
    };
    groups.set(key, group);
    const goalId = row.goal === null ? undefined : goalIds.get(row.goal);
    if (goalId === undefined) group.visitors += Number(row.converted);
    else group.goals.push(goalSums(goalId, row));
  }
  return [...groups.values()];
}

interface GroupQuery {
  visitors: SplitTestVisitors;
  segments: LargestSegments;
  query: DatedQuery;
  goals: readonly GoalTerm[];
  reached: ReachedGoals;
}

function groupRows(connection: DuckDBConnection, groupQuery: GroupQuery): Promise<GroupRow[]> {
  const statement = groupQuery.goals.length === 0 ? visitorStatement(groupQuery) : goalStatement(groupQuery);
  return recordsOf<GroupRow>(connection, statement, groupQuery.visitors.values.list);
}

function visitorStatement({ visitors, segments }: GroupQuery): string {
  // Each additional column adds a tenth to the time, so select only these.
  return `WITH ${visitors.tables},
    units AS ${visitors.isSegmented ? 'MATERIALIZED' : ''} (
      SELECT ${visitors.kind} AS bits${visitors.segmentColumn} FROM seen GROUP BY unit)
    ${segments.tables}
    SELECT bits, ${segments.columns}, NULL AS goal, count(*) AS converted
    FROM ${segments.joined('units')} GROUP BY ALL ORDER BY ALL`;
}

function goalStatement({ visitors, segments, query, goals, reached }: GroupQuery): string {
  const capped = (column: string) =>
    query.winsorize === undefined ? column : `least(${column}, coalesce(${column}_cap, ${column}))`;
  const caps = query.winsorize === undefined ? '' : 'LEFT JOIN caps USING (goal)';
  return `WITH ${reached.tables},
    units AS MATERIALIZED (${visitors.units()})
    ${segments.tables},
    outcomes AS ${query.winsorize === undefined ? '' : 'MATERIALIZED'} (
      SELECT goal, any_value(bits) AS bits, ${visitors.isSegmented ? 'any_value(segment) AS segment,' : ''}
             ${outcomeColumns(query)}
      FROM reached JOIN units USING (unit)
      WHERE ${visitors.sawOneVariation} AND happened_at >= first_at - ${query.preDays * DAY_MS}
      GROUP BY unit, goal)
    ${query.winsorize === undefined ? '' : capsTable(query.winsorize, query.sumType)},
    values_ AS (
      SELECT goal, bits, ${segments.columns}, ${isConverted(goals, 'n', 'a')} AS converted,
             ${capped('n')} AS n, ${capped('a')} AS a, n0, a0
      FROM ${segments.joined('outcomes')} ${caps})
    SELECT bits, goal, segment_name, is_other, ${sumColumns(query)}
    FROM values_ GROUP BY bits, goal, segment_name, is_other
    UNION ALL
    SELECT bits, NULL, segment_name, is_other, count(*), ${COLUMNS.slice(1)
      .fill('NULL' as never)
      .join(', ')}
    FROM (SELECT bits, ${segments.columns} FROM ${segments.joined('units')}) GROUP BY bits, segment_name, is_other
    ORDER BY bits, segment_name, is_other, goal`;
}

/** In the order of `COLUMNS`. Skips sums that are always zero, which would be computed for millions of visitors. */
function sumColumns({ preDays }: SplitTestQuery): string {
  const before = (expression: string) => (preDays === 0 ? '0' : expression);
  const sums = [
    'count(*) FILTER (converted)',
    'sum(n)',
    'sum(n * n)',
    before('sum(n0)'),
    before('sum(n0 * n0)'),
    before('sum(n * n0)'),
    'sum(a)',
    'sum(a * a)',
    before('sum(a0)'),
    before('sum(a0 * a0)'),
    before('sum(a * a0)'),
    'coalesce(sum(a) FILTER (converted), 0)',
    before('coalesce(sum(n0) FILTER (converted), 0)'),
  ];
  return sums.map((sum, index) => `${sum} AS ${COLUMNS[index]}`).join(', ');
}

/** Count and amount of a visitor since the first exposure (`n`, `a`) and in the days before it (`n0`, `a0`). */
function outcomeColumns({ preDays, sumType: wide }: DatedQuery): string {
  const sum = (column: string, filter: string) => `coalesce(sum(${column})${filter}, 0)::${wide}`;
  if (preDays === 0) {
    return `${sum('direction', '')} AS n, ${sum('amount_micros', '')} AS a, 0::${wide} AS n0, 0::${wide} AS a0`;
  }
  const [after, before] = [' FILTER (happened_at >= first_at)', ' FILTER (happened_at < first_at)'];
  return `${sum('direction', after)} AS n, ${sum('amount_micros', after)} AS a,
          ${sum('direction', before)} AS n0, ${sum('amount_micros', before)} AS a0`;
}

/** The same cap for all variations; separate caps would introduce a bias. */
function capsTable(quantile: number, wide: SumType): string {
  return `, caps AS (
    SELECT goal, quantile_disc(n, ${quantile}) FILTER (n > 0)::${wide} AS n_cap,
           quantile_disc(a, ${quantile}) FILTER (a > 0)::${wide} AS a_cap
    FROM outcomes GROUP BY goal)`;
}

function goalSums(goalId: string, row: GroupRow): GoalSums {
  const number = (value: bigint | number) => Number(value);
  const conversions: ValueSums = {
    sum: number(row.conversions),
    sumSquares: number(row.conversion_squares),
    covariateSum: number(row.conversions_before),
    covariateSumSquares: number(row.conversion_squares_before),
    covariateProduct: number(row.conversion_products),
  };
  const amount: ValueSums = {
    sum: number(row.micros) / MICROS,
    sumSquares: number(row.micro_squares) / MICROS ** 2,
    covariateSum: number(row.micros_before) / MICROS,
    covariateSumSquares: number(row.micro_squares_before) / MICROS ** 2,
    covariateProduct: number(row.micro_products) / MICROS ** 2,
  };
  return {
    goalId,
    converted: number(row.converted),
    conversions,
    amount,
    convertedAmount: number(row.converted_micros) / MICROS,
    convertedCovariate: number(row.converted_before),
  };
}
