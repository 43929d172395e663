import type { BounceMetric } from '../../../store/metric-signals.ts';
import { type BoundSql, SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import type { QueryContext } from '../query-context.ts';
import { isPage } from './collected-signals.ts';
import { isInPeriod, isOver, isWithin } from './metric-times.ts';
import { type Entries, inPart, type MetricVisitors, type Part } from './metric-visitors.ts';

interface Times {
  now: number;
  until: number;
  entries: Entries;
  part: Part | undefined;
}

/**
 * SQL for the sums of all bounces, by kind; the columns of a metric end with its number. A session begins with its first
 * page view of all: those with an earlier one, which may have expired, do not begin after the exposure.
 */
export function bounceStatement(
  { sources }: QueryContext,
  visitors: MetricVisitors,
  metrics: readonly BounceMetric[],
  { now, until, entries, part }: Times,
): BoundSql {
  const values = new SqlValues();
  const first = (value: string) => `arg_min(${value}, (happened_at, ${sources.tieBreak}))`;
  const isInTime = (metric: BounceMetric) =>
    `happened_at >= first_at AND ${isWithin(metric, until)}${visitors.canLeave ? ' AND happened_at < left_at' : ''}`;
  const views = metrics.flatMap((metric, index) => [
    `${first(isPage(metric.path, values))} AND ${first(isInTime(metric))} AS begun_${index}`,
    `count(*) FILTER (${isInTime(metric)}) = 1 AS single_${index}`,
  ]);
  const perVisitor = metrics.flatMap((_, index) => [
    `count(*) FILTER (begun_${index} AND single_${index})::HUGEINT AS v${index}`,
    `count(*) FILTER (begun_${index})::HUGEINT AS d${index}`,
  ]);
  const sums = metrics.flatMap((metric, index) => {
    const over = `FILTER (${isOver(metric, now)})`;
    return [
      `count(*) FILTER (v${index} > 0 AND ${isOver(metric, now)}) AS reached_${index}`,
      `sum(v${index}) ${over} AS sum_${index}`,
      `sum(v${index} * v${index}) ${over} AS squares_${index}`,
      `sum(d${index}) ${over} AS otherSum_${index}`,
      `sum(d${index} * d${index}) ${over} AS otherSquares_${index}`,
      `sum(v${index} * d${index}) ${over} AS product_${index}`,
    ];
  });
  const own = `property = ${visitors.property}`;
  const viewed = `${own} AND type = ${SESSION_EVENT_TYPES.pageview}`;
  return {
    values: values.list,
    sql: `WITH views AS MATERIALIZED (
        SELECT metric_sessions.*, happened_at, url, seq, source, event_index
        FROM session_events JOIN metric_sessions USING (session_key)
        WHERE ${viewed} AND ${isInPeriod('happened_at', metrics, entries, until)}
          AND ${inPart('unit', part)}),
      older AS (
        SELECT session_key FROM sessions
        WHERE ${own} AND started_at < ${entries.first} AND session_key IN (SELECT session_key FROM views)),
      continued AS (
        SELECT session_key FROM session_events
        WHERE ${viewed} AND happened_at < ${entries.first} AND session_key IN (SELECT session_key FROM older)),
      expired AS (
        SELECT session_key, min(happened_at) AS expired_at FROM expired_views WHERE ${own} GROUP BY session_key),
      begun AS (
        SELECT unit, any_value(kind) AS kind, any_value(first_at) AS first_at, ${views.join(', ')}
        FROM views LEFT JOIN expired USING (session_key)
        WHERE session_key NOT IN (SELECT session_key FROM continued)
        GROUP BY unit, session_key HAVING coalesce(min(happened_at) < any_value(expired_at), true)),
      visitors AS (
        SELECT unit, any_value(kind) AS kind, any_value(first_at) AS first_at, ${perVisitor.join(', ')}
        FROM begun GROUP BY unit)
      SELECT kind, ${sums.join(', ')} FROM visitors GROUP BY kind`,
  };
}
