import type { MetricTerm } from '../../../store/metric-queries.ts';
import { windowOf } from '../../../store/metric-signals.ts';
import type { Entries } from './metric-visitors.ts';

/** Condition on a visitor: their time is over. */
export function isOver(metric: MetricTerm, now: number): string {
  const window = windowOf(metric);
  return window === null ? 'true' : `first_at <= ${now - window}`;
}

/** Condition on an event of a visitor: it is within their time. */
export function isWithin(metric: MetricTerm, until: number): string {
  const window = windowOf(metric);
  return window === null ? `happened_at < ${until}` : `happened_at < first_at + ${window}`;
}

/** Condition on the time of an event: it is within those of any visitors. */
export function isInPeriod(
  time: string,
  metrics: readonly MetricTerm[],
  { first, last }: Entries,
  until: number,
): string {
  const starts = metrics.map((metric) => (metric.kind === 'retention' ? metric.fromMs : 0));
  const windows = metrics.map(windowOf);
  const ends = windows.map((window) => (window === null ? until : last + window));
  return `${time} >= ${first + Math.min(...starts)} AND ${time} < ${Math.max(...ends)}`;
}
