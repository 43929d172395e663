import type { MetricTerm } from '../../../store/metric-queries.ts';
import { windowOf } from '../../../store/metric-signals.ts';

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
