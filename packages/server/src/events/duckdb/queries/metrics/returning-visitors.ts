import type { ReturnMetric } from '../../../store/metric-signals.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import type { MetricTables } from './metric-tables.ts';
import { isInPeriod, isOver, isWithin } from './metric-times.ts';
import type { Entries } from './metric-visitors.ts';

interface Times {
  now: number;
  until: number;
  entries: Entries;
}

/**
 * SQL for the number of visitors who came back, by kind; the columns of a metric end with its number. Any event is a sign
 * of it, so these are far more than those of other metrics.
 */
export function returningStatement(
  metrics: readonly ReturnMetric[],
  tables: MetricTables,
  { now, until, entries }: Times,
): string {
  const { property, canLeave } = tables.visitors;
  const isBack = metrics.map(
    (metric) =>
      `(happened_at >= first_at + ${metric.fromMs} AND ${isWithin(metric, until)} AND ${isOver(metric, now)})`,
  );
  const sums = metrics.flatMap((_, index) =>
    ['reached', 'sum', 'squares'].map((name) => `count(*) FILTER (v${index}) AS ${name}_${index}`),
  );
  const period = (time: string) => isInPeriod(time, metrics, entries, until);
  const isCounted = `(${isBack.join(' OR ')}) ${canLeave ? 'AND happened_at < left_at' : ''}`;
  const shown = tables.rowsOf('exposures', [`${SEEN_AT} AS happened_at`], period(SEEN_AT));
  return `WITH active AS (
      SELECT unit, kind, first_at, happened_at FROM session_events JOIN metric_sessions USING (session_key)
      WHERE property = ${property} AND ${period('happened_at')} AND ${isCounted}
      UNION ALL
      SELECT unit, kind, first_at, happened_at FROM (${shown}) JOIN metric_units USING (unit) WHERE ${isCounted}),
    visitors AS (
      SELECT unit, any_value(kind) AS kind, ${isBack.map((condition, index) => `bool_or(${condition}) AS v${index}`).join(', ')}
      FROM active GROUP BY unit)
    SELECT kind, ${sums.join(', ')} FROM visitors GROUP BY kind`;
}

/** SELECT of the sessions of exposures that were stored without their visitor: exposures to any test are activity. */
export const unresolvedExposures = (property: number) =>
  `SELECT session_key FROM exposures WHERE property = ${property} AND unit_key IS NULL`;
