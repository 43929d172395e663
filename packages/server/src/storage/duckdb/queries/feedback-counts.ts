import {
  type FeedbackFilter,
  type FeedbackSummary,
  type FeedbackSummaryQuery,
  MAX_COUNTED,
} from '../../feedback-summary.ts';
import { rowsOf, SqlValues } from '../sql.ts';
import { feedbackCondition } from './feedback-filter.ts';
import { bucketOf } from './goal-queries.ts';
import type { QueryContext } from './query-context.ts';

/** The caller holds a snapshot. */
export async function feedbackCount(context: QueryContext, query: FeedbackFilter): Promise<number> {
  const values = new SqlValues();
  const condition = feedbackCondition(context, query, values);
  if (condition === undefined) return 0;
  const rows = await rowsOf<[bigint]>(
    context.connection,
    `SELECT count(*) FROM feedback WHERE ${condition}`,
    values.list,
  );
  return Number(rows[0]?.[0] ?? 0);
}

/** The options that are counted separately. */
const CHOSEN = `
  SELECT feedback_type, option, count(*) AS total,
         row_number() OVER (ORDER BY count(*) DESC, feedback_type, option) - 1 AS position
  FROM matching WHERE option IS NOT NULL GROUP BY feedback_type, option ORDER BY position LIMIT ${MAX_COUNTED}`;

type BucketRow = [at: bigint, position: bigint | null, entries: bigint];

/** The caller holds a snapshot. */
export async function feedbackSummary(
  context: QueryContext,
  query: FeedbackSummaryQuery,
): Promise<FeedbackSummary> {
  const values = new SqlValues();
  const condition = feedbackCondition(context, query, values);
  if (condition === undefined) return { total: 0, withMessage: 0, types: [], options: [], series: [] };
  const tables = `WITH matching AS MATERIALIZED (
      SELECT feedback_type, option, message IS NOT NULL AS has_message, ${bucketOf(query.interval)} AS bucket
      FROM feedback WHERE ${condition}),
    chosen AS MATERIALIZED (${CHOSEN})`;
  const run = <Row extends (bigint | number | string | null)[]>(select: string) =>
    rowsOf<Row>(context.connection, `${tables} ${select}`, values.list);
  const types = await run<[number, bigint, bigint]>(
    `SELECT feedback_type, count(*) AS total, count(*) FILTER (has_message) FROM matching
     GROUP BY feedback_type ORDER BY total DESC, feedback_type`,
  );
  const options = await run<[number, string, bigint]>(
    'SELECT feedback_type, option, total FROM chosen ORDER BY position',
  );
  const buckets = await run<BucketRow>(
    `SELECT bucket, position, count(*) FROM matching LEFT JOIN chosen USING (feedback_type, option)
     GROUP BY bucket, position ORDER BY bucket`,
  );
  const typeOf = (type: number) => context.terms.textOf(type) ?? '';
  return {
    total: types.reduce((sum, [, total]) => sum + Number(total), 0),
    withMessage: types.reduce((sum, [, , withMessage]) => sum + Number(withMessage), 0),
    types: types.slice(0, MAX_COUNTED).map(([type, total, withMessage]) => ({
      feedbackTypeId: typeOf(type),
      total: Number(total),
      withMessage: Number(withMessage),
    })),
    options: options.map(([type, option, count]) => ({
      feedbackTypeId: typeOf(type),
      option,
      count: Number(count),
    })),
    series: seriesOf(buckets, options.length),
  };
}

function seriesOf(rows: readonly BucketRow[], options: number): FeedbackSummary['series'] {
  const series: FeedbackSummary['series'] = [];
  for (const [start, position, entries] of rows) {
    const at = Number(start);
    let bucket = series.at(-1);
    if (bucket?.at !== at) {
      bucket = { at, total: 0, counts: Array<number>(options).fill(0) };
      series.push(bucket);
    }
    bucket.total += Number(entries);
    if (position !== null) bucket.counts[Number(position)] = Number(entries);
  }
  return series;
}
