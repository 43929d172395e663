import { type FunnelMetric, overlap, signalOf } from '../../../store/metric-signals.ts';
import type { MetricEvents } from './metric-events.ts';
import { isOver, isWithin } from './metric-times.ts';
import { inPart, type Part } from './metric-visitors.ts';

/**
 * SQL for the number of visitors who reached each step of a funnel: `step`, from 1, `kind` and `visitors`. Each step reads
 * the events of the visitors who reached the one before it.
 */
export function funnelStatement(
  metric: FunnelMetric,
  events: MetricEvents,
  { now, part }: { now: number; part: Part | undefined },
): string {
  const { steps } = metric;
  const signals = steps.map((step) => events.bitOf(signalOf(step)));
  const any = signals.reduce((bits, bit) => bits | bit, 0n);
  const marks = signals.map(
    (bit, index) => `(CASE WHEN (signals & ${bit}) <> 0 THEN ${2 ** index} ELSE 0 END)`,
  );
  const reached = steps.map((_, index) => `${stepTable(metric, index)}`);
  const counts = steps.map(
    (_, index) => `SELECT ${index + 1} AS step, kind, count(*) AS visitors FROM step_${index} GROUP BY kind`,
  );
  return `WITH candidates AS MATERIALIZED (
      SELECT unit, kind, happened_at, rowid AS event, (${marks.join(' | ')}) AS mask FROM metric_events
      WHERE (signals & ${any}) <> 0 AND n = 1 AND ${isWithin(metric, 0)} AND ${isOver(metric, now)}
        AND ${inPart('unit', part)}),
    ${reached.join(', ')}
    ${counts.join(' UNION ALL ')}`;
}

/**
 * The visitors who reached a step, with the time, and the event that they did it with: only if a step before or after it
 * could be the same one.
 */
function stepTable({ steps }: FunnelMetric, index: number): string {
  const isNeeded = (at: number) => steps.some((step, other) => other !== at && overlap(step, steps[at]!));
  const before = steps.slice(0, index).flatMap((_, at) => (isNeeded(at) ? [at] : []));
  const columns = [
    'unit',
    'any_value(candidates.kind) AS kind',
    'min(happened_at) AS reached_at',
    ...before.map((at) => `any_value(event_${at}) AS event_${at}`),
    // Of several at the same time, the one that matches the fewest last steps.
    ...(isNeeded(index)
      ? [`arg_min(event, happened_at * ${2 ** steps.length} + mask) AS event_${index}`]
      : []),
  ];
  const isLater = [
    'happened_at >= reached_at',
    ...before.flatMap((at) => (overlap(steps[at]!, steps[index]!) ? [`event <> event_${at}`] : [])),
  ];
  return `step_${index} AS MATERIALIZED (
    SELECT ${columns.join(', ')} FROM candidates
      ${index === 0 ? '' : `JOIN step_${index - 1} USING (unit)`}
    WHERE (mask & ${2 ** index}) <> 0 ${index === 0 ? '' : `AND ${isLater.join(' AND ')}`} GROUP BY unit)`;
}
