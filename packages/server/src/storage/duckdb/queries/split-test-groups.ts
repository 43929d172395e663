import { MICROS } from '@switchyard/core/money';
import { DAY_MS } from '@switchyard/core/time';
import type { GoalSums, Positions, SplitTestQuery, ValueSums, VisitorGroup } from '../../event-store.ts';
import { recordsOf } from '../sql.ts';
import { type GoalTerm, goalTermsOf, isConverted } from './goal-terms.ts';
import { LargestSegments } from './largest-segments.ts';
import type { QueryContext } from './query-context.ts';
import { ReachedGoals } from './reached-goals.ts';
import { findRecounted } from './recounted-visitors.ts';
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
  'outcomes',
] as const;

/** Sums of a group of visitors for a goal; if `goal` is null, `converted` is the number of visitors. */
type GroupRow = Record<(typeof COLUMNS)[number], bigint | number> & {
  bits: bigint | number;
  goal: number | null;
  segment_name: string | null;
  is_other: boolean;
};

/** Sums by group and goal. */
export type GroupRows = ReadonlyMap<string, Readonly<GroupRow>>;

/** What an earlier answer counted, and the positions of its snapshot. */
export interface EarlierGroups {
  rows: GroupRows;
  positions: Positions;
}

/** With fewer conversions than this share of the exposures, only visitors who converted are joined with them. */
const FEW_CONVERSIONS = 0.5;

/** How much less memory it takes to count visitors without their conversions. */
const COUNTED_ONLY = 8;

/** With more sessions to count again than this, all visitors are counted if that is not much more work. */
const MAX_RECOUNTED = 10_000;
const MAX_RECOUNTED_SHARE = 0.25;

/** Counts visitors by group; with an earlier answer, only those that changed since. */
export async function countVisitors(
  context: QueryContext,
  query: DatedQuery,
  exposures: number,
  earlier?: EarlierGroups,
): Promise<{ rows: GroupRows; groups: VisitorGroup[] }> {
  const goals = goalTermsOf(context, query);
  const visitors = SplitTestVisitors.of(context, query) as SplitTestVisitors;
  const segments = new LargestSegments(visitors, query.by?.max ?? 0);
  const reached = new ReachedGoals(visitors, query, goals);
  const groupQuery = { visitors, segments, query, goals, reached };
  const rows =
    (earlier && (await recountChanged(context, groupQuery, exposures, earlier))) ??
    (await countAll(context, groupQuery, exposures));
  return { rows, groups: groupsOf(visitors, goals, [...rows.values()]) };
}

async function countAll(
  context: QueryContext,
  groupQuery: GroupQuery,
  exposures: number,
): Promise<GroupRows> {
  const { visitors, segments, query, goals, reached } = groupQuery;
  visitors.recounted = undefined;
  await visitors.resolve(context.connection, reached.unresolved);
  const rows = new Map<string, GroupRow>();
  const count = (statement: Statement, size: number) =>
    addParts(context, groupQuery, { statement, parts: partsOf(context, size) }, (row) =>
      addRow(rows, row, 1),
    );
  // Caps are for the values of all visitors together.
  const sizeOf = (size: number) => (query.winsorize === undefined ? size : 0);
  const conversions = await reached.count(context.connection);
  if (query.by === undefined && conversions < FEW_CONVERSIONS * exposures) {
    await count(visitorStatement, exposures / COUNTED_ONLY);
    if (goals.length > 0) await count(convertedStatement, sizeOf(conversions));
    return rows;
  }
  const parts = partsOf(context, sizeOf(exposures));
  if (query.by && parts > 1) await segments.findInParts(context.connection, parts);
  await count(allStatement, sizeOf(exposures));
  return rows;
}

/** Undefined if too many visitors changed. */
async function recountChanged(
  context: QueryContext,
  groupQuery: GroupQuery,
  exposures: number,
  { rows: earlier, positions }: EarlierGroups,
): Promise<GroupRows | undefined> {
  const { visitors, reached } = groupQuery;
  const { count, before, now } = await findRecounted(context, visitors, reached, positions);
  if (count === 0) return earlier;
  if (count > MAX_RECOUNTED && count > exposures * MAX_RECOUNTED_SHARE) return undefined;
  const rows = new Map([...earlier].map(([key, row]) => [key, { ...row }]));
  for (const [side, sign] of [[now, 1] as const, [before, -1] as const]) {
    visitors.recounted = side;
    const work = { statement: allStatement, parts: partsOf(context, count) };
    await addParts(context, groupQuery, work, (row) => addRow(rows, row, sign));
  }
  return new Map([...rows].filter(([, row]) => !isEmpty(row)));
}

/** As many parts as the memory requires. */
function partsOf({ maxVisitors }: QueryContext, visitors: number): number {
  return Math.max(1, 2 ** Math.ceil(Math.log2(visitors / maxVisitors)));
}

/** Each visitor is in one part. */
async function addParts(
  { connection, signal }: QueryContext,
  groupQuery: GroupQuery,
  { statement, parts }: { statement: Statement; parts: number },
  add: (row: GroupRow) => void,
): Promise<void> {
  const { visitors } = groupQuery;
  for (let index = 0; index < parts; index++) {
    signal?.throwIfAborted();
    visitors.part = parts > 1 ? { index, of: parts } : undefined;
    for (const row of await recordsOf<GroupRow>(connection, statement(groupQuery), visitors.values.list))
      add(row);
  }
}

const keyOf = ({ bits, segment_name, is_other }: GroupRow) =>
  `${bits} ${is_other} ${JSON.stringify(segment_name)}`;

/** No visitor is left of what was counted. */
const isEmpty = ({ goal, converted, outcomes }: GroupRow) => (goal === null ? converted : outcomes) === 0n;

/** Adds or subtracts sums, still as integers. */
function addRow(rows: Map<string, GroupRow>, row: GroupRow, sign: 1 | -1): void {
  const key = `${row.goal} ${keyOf(row)}`;
  const sum = rows.get(key);
  if (!sum) {
    rows.set(key, row);
    return;
  }
  for (const column of COLUMNS) {
    const [left, right] = [sum[column], row[column]];
    sum[column] =
      typeof left === 'bigint' && typeof right === 'bigint'
        ? left + BigInt(sign) * right
        : Number(left) + sign * Number(right);
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

/** SQL that returns rows of groups. */
type Statement = (groupQuery: GroupQuery) => string;

/** All visitors, with their conversions. */
function allStatement(groupQuery: GroupQuery): string {
  if (groupQuery.goals.length === 0) return visitorStatement(groupQuery);
  return `${goalStatement(groupQuery, groupQuery.visitors.units())}
    UNION ALL
    SELECT bits, NULL, segment_name, is_other, count(*), ${COLUMNS.slice(1)
      .fill('NULL' as never)
      .join(', ')}
    FROM (SELECT bits, ${groupQuery.segments.columns} FROM ${groupQuery.segments.joined('units')})
    GROUP BY bits, segment_name, is_other
    ORDER BY bits, segment_name, is_other, goal`;
}

/** The conversions only: grouping the visitors who have some is a fraction of the work. */
function convertedStatement(groupQuery: GroupQuery): string {
  return goalStatement(groupQuery, groupQuery.visitors.units('WHERE unit IN (SELECT unit FROM reached)'));
}

/** All visitors, without their conversions. */
function visitorStatement({ visitors, segments }: GroupQuery): string {
  // Each additional column adds a tenth to the time, so select only these.
  return `WITH ${visitors.tables},
    units AS ${visitors.isSegmented ? 'MATERIALIZED' : ''} (
      SELECT ${visitors.kind} AS bits${visitors.segmentColumn} FROM seen GROUP BY unit)
    ${segments.tables}
    SELECT bits, ${segments.columns}, NULL AS goal, count(*) AS converted
    FROM ${segments.joined('units')} GROUP BY ALL ORDER BY ALL`;
}

function goalStatement({ visitors, segments, query, goals, reached }: GroupQuery, units: string): string {
  const capped = (column: string) =>
    query.winsorize === undefined ? column : `least(${column}, coalesce(${column}_cap, ${column}))`;
  const caps = query.winsorize === undefined ? '' : 'LEFT JOIN caps USING (goal)';
  return `WITH ${reached.tables},
    units AS MATERIALIZED (${units})
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
    FROM values_ GROUP BY bits, goal, segment_name, is_other`;
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
    'count(*)',
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
