import {
  type FeedbackFilter,
  type FeedbackSummary,
  type FeedbackSummaryQuery,
  MAX_COUNTED,
} from '../../../store/feedback-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { zonedBucket } from '../goals/goal-queries.ts';
import type { QueryContext } from '../query-context.ts';
import { feedbackCondition } from './feedback-filter.ts';

export async function feedbackCount({ clickhouse }: QueryContext, query: FeedbackFilter): Promise<number> {
  const values = new SqlValues();
  const condition = feedbackCondition(clickhouse.tables, query, values);
  const rows = await clickhouse.rows<[string]>(
    `SELECT count() FROM ${clickhouse.tables.of('feedback')} WHERE ${condition}`,
    values.parameters,
  );
  return Number(rows[0]?.[0] ?? 0);
}

type CountRow = [type: string, option: string | null, at: string, total: string, messages: string];

/**
 * One row per type, option and bucket. There are few of them, because a property has few types and options; entries with
 * other options are older than the type's list.
 */
export async function feedbackSummary(
  { clickhouse }: QueryContext,
  query: FeedbackSummaryQuery,
): Promise<FeedbackSummary> {
  const values = new SqlValues();
  const condition = feedbackCondition(clickhouse.tables, query, values);
  const rows = await clickhouse.rows<CountRow>(
    `SELECT feedback_type, option, ${zonedBucket(query)} AS bucket, count(), countIf(message IS NOT NULL)
     FROM ${clickhouse.tables.of('feedback')} WHERE ${condition} GROUP BY feedback_type, option, bucket ORDER BY bucket`,
    values.parameters,
  );
  return summaryOf(rows);
}

function summaryOf(rows: readonly CountRow[]): FeedbackSummary {
  const types = new Map<string, FeedbackSummary['types'][number]>();
  const chosen = new Map<string, FeedbackSummary['options'][number]>();
  for (const [feedbackTypeId, option, , total, messages] of rows) {
    const type = types.get(feedbackTypeId) ?? { feedbackTypeId, total: 0, withMessage: 0 };
    type.total += Number(total);
    type.withMessage += Number(messages);
    types.set(feedbackTypeId, type);
    if (option === null) continue;
    const key = JSON.stringify([feedbackTypeId, option]);
    const counted = chosen.get(key) ?? { feedbackTypeId, option, count: 0 };
    counted.count += Number(total);
    chosen.set(key, counted);
  }
  const allTypes = [...types.values()].sort((a, b) => b.total - a.total || compare(a, b));
  const options = [...chosen.values()]
    .sort((a, b) => b.count - a.count || compare(a, b) || compareText(a.option, b.option))
    .slice(0, MAX_COUNTED);
  return {
    total: allTypes.reduce((sum, { total }) => sum + total, 0),
    withMessage: allTypes.reduce((sum, { withMessage }) => sum + withMessage, 0),
    types: allTypes.slice(0, MAX_COUNTED),
    options,
    series: seriesOf(rows, options),
  };
}

type OfType = { feedbackTypeId: string };
const compare = (a: OfType, b: OfType) => compareText(a.feedbackTypeId, b.feedbackTypeId);
const compareText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function seriesOf(rows: readonly CountRow[], options: FeedbackSummary['options']): FeedbackSummary['series'] {
  const positions = new Map(
    options.map(({ feedbackTypeId, option }, index) => [JSON.stringify([feedbackTypeId, option]), index]),
  );
  const series: FeedbackSummary['series'] = [];
  for (const [feedbackTypeId, option, start, total] of rows) {
    const at = Number(start);
    let bucket = series.at(-1);
    if (bucket?.at !== at) {
      bucket = { at, total: 0, counts: options.map(() => 0) };
      series.push(bucket);
    }
    bucket.total += Number(total);
    const position = positions.get(JSON.stringify([feedbackTypeId, option]));
    if (position !== undefined) bucket.counts[position]! += Number(total);
  }
  return series;
}
