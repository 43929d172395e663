import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestCounts, SplitTestQuery } from '../../../store/split-test-queries.ts';
import { rowsOf } from '../../connection/sql.ts';
import { dayIn } from '../day-range.ts';
import type { QueryContext } from '../query-context.ts';
import { storedPositions } from '../source-queries.ts';
import type { AnswerView, KeptAnswer } from './counted-answers.ts';
import type { ExposureCount, ExposureCounts } from './exposure-counts.ts';
import type { SumType } from './group-rows.ts';
import { findSavedAnswer } from './saved-answers.ts';
import { countVisitors } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/**
 * Other answers are counted in full each time. Neither fractions nor quantiles can be updated exactly, and the largest
 * segments may change with any visitor. A session changes what its visitor did before the test, and a collect may change
 * the user of all sessions of a visitor, but only events and the visitors of sessions are followed.
 */
export const isKept = ({ winsorize, by, preDays, unit }: SplitTestQuery) =>
  winsorize === undefined && by === undefined && preDays === 0 && unit !== 'user';

/** Answers for other days start from the same sums. */
export function answerKeyOf({ days: _, ...definition }: SplitTestQuery): string {
  return JSON.stringify(definition);
}

/**
 * All counts of one phase of a test. The caller holds a snapshot. With an earlier answer to the same query, only what
 * was stored since is read, and only the visitors that it changed are counted again.
 */
export async function splitTestCounts(
  context: QueryContext,
  query: SplitTestQuery,
  sumType: SumType,
  answers: AnswerView,
): Promise<SplitTestCounts> {
  const visitors = SplitTestVisitors.of(context, withoutSegments(query));
  if (!visitors) return { exposures: [], groups: [] };
  const key = answerKeyOf(query);
  const isSumKept = sumType === 'HUGEINT' && isKept(query);
  const positions = await storedPositions(context.connection);
  const earlier = isSumKept
    ? (answers.get(key, positions) ?? (await findSavedAnswer(context.connection, key)))
    : undefined;
  const exposures = await countExposures(context, query, visitors, earlier);
  if (exposures.total === 0) return { exposures: [], groups: [] };
  // By the server's clock: a single exposure with a date years ago must not make all others late visitors.
  const earlyUntil = Math.max(query.startedAt, exposures.firstReceivedAt) + query.earlyDays * DAY_MS;
  const { rows, groups } = await countVisitors(
    context,
    { ...query, earlyUntil, sumType },
    exposures,
    // An earlier first exposure can make any visitor a late one.
    earlier?.earlyUntil === earlyUntil ? earlier : undefined,
  );
  if (isSumKept) {
    const countedSince = await firstCounted(context, visitors, exposures, earlier);
    const { propertyId } = query;
    answers.set(key, { propertyId, countedSince, positions, exposures, earlyUntil, rows });
  }
  return { exposures: exposures.counts.map((it) => exposureOf(visitors, it)), groups };
}

const withoutSegments = ({ by: _, ...query }: SplitTestQuery) => query;

function exposureOf(visitors: SplitTestVisitors, { kind, day, exposures }: ExposureCount) {
  const { firstVariationKey: variationKey, bot } = visitors.kinds.read(kind);
  return { at: day, variationKey, bot, exposures };
}

/** No earlier event was counted: conversions count from the first exposure, and those of other phases may be earlier. */
async function firstCounted(
  { connection, sources }: QueryContext,
  visitors: SplitTestVisitors,
  { firstSeenAt }: ExposureCounts,
  earlier: KeptAnswer | undefined,
): Promise<number> {
  if (visitors.exposures.isNarrow) return firstSeenAt;
  const isNew = earlier ? sources.isAfter(earlier.positions) : 'true';
  const [row] = await rowsOf<[bigint | null]>(
    connection,
    `SELECT min(least(happened_at, received_at)) FROM exposures WHERE ${visitors.exposures.isRead} AND ${isNew}`,
  );
  const first = row?.[0] === null ? firstSeenAt : Number(row?.[0]);
  return Math.min(firstSeenAt, first, earlier?.countedSince ?? firstSeenAt);
}

async function countExposures(
  context: QueryContext,
  query: SplitTestQuery,
  visitors: SplitTestVisitors,
  earlier: KeptAnswer | undefined,
): Promise<ExposureCounts> {
  const { days } = query;
  // Days are combined before the first one and after the last one.
  const isSame = earlier && JSON.stringify(earlier.exposures.days) === JSON.stringify(days);
  const isNew = isSame ? context.sources.isAfter(earlier.positions) : 'true';
  const rows = await rowsOf<[number | bigint, bigint, bigint, bigint, bigint]>(
    context.connection,
    // By plain columns first: the other expressions are then computed for a few rows instead of all exposures.
    `WITH counted AS (
       SELECT variation, bot, (happened_at // ${DAY_MS}) * ${DAY_MS} AS happened_at, min(received_at) AS received_at,
              min(exposures.happened_at) AS first_at, count(*) AS exposures
       FROM exposures WHERE ${visitors.exposures.inPhase} AND ${isNew} GROUP BY variation, bot, exposures.happened_at // ${DAY_MS})
     SELECT ${visitors.kinds.exposureKind} AS kind, sum(exposures)::BIGINT, min(received_at), min(first_at),
            ${dayIn(days, 'happened_at')} AS day
     FROM counted GROUP BY day, kind ORDER BY day, kind`,
    visitors.values.list,
  );
  const counts = new Map(isSame ? earlier.exposures.counts.map((it) => [keyOf(it), it]) : []);
  let total = isSame ? earlier.exposures.total : 0;
  let firstReceivedAt = isSame ? earlier.exposures.firstReceivedAt : Number.POSITIVE_INFINITY;
  let firstSeenAt = isSame ? earlier.exposures.firstSeenAt : Number.POSITIVE_INFINITY;
  for (const [kind, count, receivedAt, firstAt, day] of rows) {
    const added = { kind, day: Number(day), exposures: Number(count) };
    const before = counts.get(keyOf(added))?.exposures ?? 0;
    counts.set(keyOf(added), { ...added, exposures: before + added.exposures });
    total += added.exposures;
    firstReceivedAt = Math.min(firstReceivedAt, Number(receivedAt));
    firstSeenAt = Math.min(firstSeenAt, firstReceivedAt, Number(firstAt));
  }
  return { days, total, firstReceivedAt, firstSeenAt, counts: [...counts.values()].sort(byDay) };
}

const keyOf = ({ day, kind }: ExposureCount) => `${day} ${kind}`;

const byDay = (a: ExposureCount, b: ExposureCount) => a.day - b.day || (a.kind < b.kind ? -1 : 1);
