import type { VisitorGroup } from '../../../store/split-test-queries.ts';
import { recordsOf } from '../../connection/sql.ts';
import { goalTermsOf } from '../goals/goal-terms.ts';
import type { QueryContext } from '../query-context.ts';
import type { ExposureCounts } from './exposure-counts.ts';
import {
  addRow,
  type EarlierGroups,
  type GroupRow,
  type GroupRows,
  groupsOf,
  isEmpty,
} from './group-rows.ts';
import {
  allStatement,
  convertedStatement,
  type DatedQuery,
  type GroupQuery,
  type Statement,
  visitorStatement,
} from './group-statements.ts';
import { LargestSegments } from './largest-segments.ts';
import { ReachedGoals } from './reached-goals.ts';
import { findRecounted } from './recounted-visitors.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';
import { VisitorsBeforeTest } from './visitors-before-test.ts';

/** With fewer conversions than this share of the exposures, only visitors who converted are joined with them. */
const FEW_CONVERSIONS = 0.5;

/** How much less memory it takes to count visitors without their conversions. */
const COUNTED_ONLY = 5;

/** How much more memory it takes to look at all phases. */
const ALL_PHASES = 2;

/** With more sessions to count again than this, all visitors are counted if that is not much more work. */
const MAX_RECOUNTED = 10_000;
const MAX_RECOUNTED_SHARE = 0.25;

/** Counts visitors by group; with an earlier answer, only those that changed since. */
export async function countVisitors(
  context: QueryContext,
  query: DatedQuery,
  exposures: Pick<ExposureCounts, 'total' | 'firstSeenAt'>,
  earlier?: EarlierGroups,
): Promise<{ rows: GroupRows; groups: VisitorGroup[] }> {
  const goals = goalTermsOf(context, query);
  const visitors = SplitTestVisitors.of(context, query) as SplitTestVisitors;
  const isSimple = query.preDays === 0;
  // The first exposure ever may be long before the first one in the phase.
  const since = isSimple ? { since: exposures.firstSeenAt } : {};
  const groupQuery: GroupQuery = {
    visitors,
    segments: new LargestSegments(visitors, query.by?.max ?? 0),
    query,
    goals,
    reached: new ReachedGoals(visitors, { ...since, until: query.until }, goals),
    before: isSimple ? undefined : new VisitorsBeforeTest(context, visitors, query),
  };
  const rows =
    (earlier && (await recountChanged(context, groupQuery, exposures.total, earlier))) ??
    (await countAll(context, groupQuery, exposures.total));
  return { rows, groups: groupsOf(visitors, goals, [...rows.values()]) };
}

async function countAll(
  context: QueryContext,
  groupQuery: GroupQuery,
  exposures: number,
): Promise<GroupRows> {
  const { visitors, segments, query, goals, reached, before } = groupQuery;
  visitors.recounted = undefined;
  await visitors.resolve(context.connection, [...reached.unresolved, ...(before?.unresolved ?? [])]);
  await before?.prepare(context.connection);
  const rows = new Map<string, GroupRow>();
  const count = (statement: Statement, size: number) =>
    addParts(context, groupQuery, { statement, parts: partsOf(context, size) }, (row) =>
      addRow(rows, row, 1),
    );
  // Caps are for the values of all visitors together.
  const sizeOf = (size: number) => (query.winsorize === undefined ? size : 0);
  const conversions = await reached.count(context.connection);
  const isSeparate = query.by === undefined && conversions < FEW_CONVERSIONS * exposures;
  const size = visitors.exposures.isNarrow
    ? exposures
    : ALL_PHASES * (await visitors.countRead(context.connection));
  const parts = partsOf(context, sizeOf(size));
  // Visitors who converted do not tell which segments are the largest.
  if (query.by && (parts > 1 || before)) await segments.findInParts(context.connection, parts);
  if (isSeparate || before) {
    await count(visitorStatement, before ? size : size / COUNTED_ONLY);
    if (goals.length > 0) await count(convertedStatement, sizeOf(before ? size : conversions));
    return rows;
  }
  await count(allStatement, sizeOf(size));
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
