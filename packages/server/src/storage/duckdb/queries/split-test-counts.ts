import { DAY_MS } from '@switchyard/core/time';
import type { DayRange, SplitTestCounts, SplitTestQuery } from '../../event-store.ts';
import { rowsOf } from '../sql.ts';
import type { AnswerView, KeptAnswer } from './counted-answers.ts';
import { dayIn } from './day-range.ts';
import type { QueryContext } from './query-context.ts';
import { findSavedAnswer } from './saved-answers.ts';
import { storedPositions } from './source-queries.ts';
import { countVisitors, type SumType } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/** Exposures of a day with the same bits. */
interface ExposureCount {
  bits: bigint | number;
  day: number;
  exposures: number;
}

export interface ExposureCounts {
  days: DayRange;
  counts: readonly ExposureCount[];
  total: number;
  firstReceivedAt: number;
  /** The earliest time that a visitor may have been exposed at. */
  firstSeenAt: number;
}

/** Neither fractions nor quantiles can be updated exactly; the largest segments may change with any visitor. */
export const isKept = ({ winsorize, by }: SplitTestQuery) => winsorize === undefined && by === undefined;

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
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
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
    exposures.total,
    // An earlier first exposure can make any visitor a late one.
    earlier?.earlyUntil === earlyUntil ? earlier : undefined,
  );
  if (isSumKept) {
    // Conversions count from the first exposure, and in the days before it.
    const countedSince = exposures.firstSeenAt - query.preDays * DAY_MS;
    const { propertyId } = query;
    answers.set(key, { propertyId, countedSince, positions, exposures, earlyUntil, rows });
  }
  return { exposures: exposures.counts.map((it) => exposureOf(visitors, it)), groups };
}

function exposureOf(visitors: SplitTestVisitors, { bits, day, exposures }: ExposureCount) {
  const { variationKey, bot } = visitors.read(bits);
  return { at: day, variationKey: variationKey as string, bot, exposures };
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
  const rows = await rowsOf<[bigint, bigint, bigint, bigint, bigint]>(
    context.connection,
    // By plain columns first: the other expressions are then computed for a few rows instead of all exposures.
    `WITH counted AS (
       SELECT variation, bot, (happened_at // ${DAY_MS}) * ${DAY_MS} AS happened_at, min(received_at) AS received_at,
              min(exposures.happened_at) AS first_at, count(*) AS exposures
       FROM exposures WHERE ${visitors.exposed} AND ${isNew} GROUP BY variation, bot, exposures.happened_at // ${DAY_MS})
     SELECT ${visitors.bits} AS seen_bits, sum(exposures)::BIGINT, min(received_at), min(first_at),
            ${dayIn(days, 'happened_at')} AS day
     FROM counted GROUP BY day, seen_bits ORDER BY day, seen_bits`,
    visitors.values.list,
  );
  const counts = new Map(isSame ? earlier.exposures.counts.map((it) => [keyOf(it), it]) : []);
  let total = isSame ? earlier.exposures.total : 0;
  let firstReceivedAt = isSame ? earlier.exposures.firstReceivedAt : Number.POSITIVE_INFINITY;
  let firstSeenAt = isSame ? earlier.exposures.firstSeenAt : Number.POSITIVE_INFINITY;
  for (const [bits, count, receivedAt, firstAt, day] of rows) {
    const added = { bits, day: Number(day), exposures: Number(count) };
    const before = counts.get(keyOf(added))?.exposures ?? 0;
    counts.set(keyOf(added), { ...added, exposures: before + added.exposures });
    total += added.exposures;
    firstReceivedAt = Math.min(firstReceivedAt, Number(receivedAt));
    firstSeenAt = Math.min(firstSeenAt, firstReceivedAt, Number(firstAt));
  }
  return { days, total, firstReceivedAt, firstSeenAt, counts: [...counts.values()].sort(byDay) };
}

const keyOf = ({ day, bits }: ExposureCount) => `${day} ${bits}`;

const byDay = (a: ExposureCount, b: ExposureCount) => a.day - b.day || (a.bits < b.bits ? -1 : 1);
