import {
  type FeedbackFilter,
  type FeedbackSummary,
  type FeedbackSummaryQuery,
  MAX_COUNTED,
} from '../../../store/feedback-queries.ts';
import { rowsOf, SqlValues } from '../../connection/sql.ts';
import { zonedBucket } from '../goals/goal-queries.ts';
import type { QueryContext } from '../query-context.ts';
import { feedbackCondition } from './feedback-filter.ts';

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

/** One statement, so that the entries are searched once. */
const COUNTS = `
  SELECT 'type' AS kind, feedback_type, NULL AS option, NULL AS position, NULL AS bucket, count(*) AS total,
         count(*) FILTER (has_message) AS messages
  FROM matching GROUP BY feedback_type
  UNION ALL
  SELECT 'option', feedback_type, option, position, NULL, total, 0 FROM chosen
  UNION ALL
  SELECT 'bucket', NULL, NULL, position, bucket, count(*), 0
  FROM matching LEFT JOIN chosen USING (feedback_type, option) GROUP BY bucket, position
  ORDER BY kind, bucket, position, total DESC, feedback_type`;

type CountRow = [
  kind: 'type' | 'option' | 'bucket',
  type: number | null,
  option: string | null,
  position: bigint | null,
  at: bigint | null,
  total: bigint,
  messages: bigint,
];

/** The caller holds a snapshot. */
export async function feedbackSummary(
  context: QueryContext,
  query: FeedbackSummaryQuery,
): Promise<FeedbackSummary> {
  const values = new SqlValues();
  const condition = feedbackCondition(context, query, values);
  if (condition === undefined) return { total: 0, withMessage: 0, types: [], options: [], series: [] };
  const rows = await rowsOf<CountRow>(
    context.connection,
    `WITH matching AS MATERIALIZED (
       SELECT feedback_type, option, message IS NOT NULL AS has_message, ${zonedBucket(query)} AS bucket
       FROM feedback WHERE ${condition}),
     chosen AS MATERIALIZED (${CHOSEN}) ${COUNTS}`,
    values.list,
  );
  const ofKind = (wanted: CountRow[0]) => rows.filter(([kind]) => kind === wanted);
  const typeOf = (type: number | null) => context.terms.textOf(type ?? 0) ?? '';
  const types = ofKind('type').map(([, type, , , , total, messages]) => ({
    feedbackTypeId: typeOf(type),
    total: Number(total),
    withMessage: Number(messages),
  }));
  const options = ofKind('option').map(([, type, option, , , total]) => ({
    feedbackTypeId: typeOf(type),
    option: option as string,
    count: Number(total),
  }));
  return {
    total: types.reduce((sum, { total }) => sum + total, 0),
    withMessage: types.reduce((sum, { withMessage }) => sum + withMessage, 0),
    types: types.slice(0, MAX_COUNTED),
    options,
    series: seriesOf(ofKind('bucket'), options.length),
  };
}

function seriesOf(rows: readonly CountRow[], options: number): FeedbackSummary['series'] {
  const series: FeedbackSummary['series'] = [];
  for (const [, , , position, start, total] of rows) {
    const at = Number(start);
    let bucket = series.at(-1);
    if (bucket?.at !== at) {
      bucket = { at, total: 0, counts: Array<number>(options).fill(0) };
      series.push(bucket);
    }
    bucket.total += Number(total);
    if (position !== null) bucket.counts[Number(position)] = Number(total);
  }
  return series;
}
