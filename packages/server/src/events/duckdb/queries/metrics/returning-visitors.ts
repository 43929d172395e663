import type { ReturnMetric } from '../../../store/metric-signals.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import type { MetricTables } from './metric-tables.ts';
import { isInPeriod, isOver, isWithin } from './metric-times.ts';
import { type Entries, inPart, type Part } from './metric-visitors.ts';

interface Times {
  now: number;
  until: number;
  entries: Entries;
}

/**
 * SELECT of the events of visitors who came back, with `unit`, `kind` and, for each metric, whether it is within its days:
 * `v0` and so on. Any event is a sign of it.
 */
export function returnEvents(
  metrics: readonly ReturnMetric[],
  tables: MetricTables,
  { now, until, entries }: Times,
): string {
  const { property, canLeave } = tables.visitors;
  const isBack = metrics.map(
    (metric) =>
      `(happened_at >= first_at + ${metric.fromMs} AND ${isWithin(metric, until)} AND ${isOver(metric, now)})`,
  );
  const period = (time: string) => isInPeriod(time, metrics, entries, until);
  const selects = [
    `SELECT happened_at, metric_sessions.* FROM session_events JOIN metric_sessions USING (session_key)
     WHERE property = ${property} AND ${period('happened_at')}`,
    tables.rowsOf('exposures', [`${SEEN_AT} AS happened_at`], period(SEEN_AT)),
  ];
  const columns = isBack.map((condition, index) => `${condition} AS v${index}`).join(', ');
  const where = `(${isBack.join(' OR ')}) ${canLeave ? 'AND happened_at < left_at' : ''}`;
  return selects
    .map((select) => `SELECT unit, kind, ${columns} FROM (${select}) WHERE ${where}`)
    .join(' UNION ALL ');
}

/** SQL for the number of visitors in `metric_returns`, by kind; the columns of a metric end with its number. */
export function returningStatement(metrics: readonly ReturnMetric[], part: Part | undefined): string {
  const isBack = metrics.map((_, index) => `bool_or(v${index}) AS v${index}`);
  const sums = metrics.flatMap((_, index) =>
    ['reached', 'sum', 'squares'].map((name) => `count(*) FILTER (v${index}) AS ${name}_${index}`),
  );
  return `WITH visitors AS (
      SELECT unit, any_value(kind) AS kind, ${isBack.join(', ')}
      FROM metric_returns WHERE ${inPart('unit', part)} GROUP BY unit)
    SELECT kind, ${sums.join(', ')} FROM visitors GROUP BY kind`;
}

/** SELECT of the sessions of exposures that were stored without their visitor: exposures to any test are activity. */
export const unresolvedExposures = (property: number) =>
  `SELECT session_key FROM exposures WHERE property = ${property} AND unit_key IS NULL`;
