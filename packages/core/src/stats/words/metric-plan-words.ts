import type { MetricFormat } from '../metrics/metric-measures.ts';
import { unitOf } from '../report/report-metrics.ts';
import { count, percent, plural, singleValue } from './numbers.ts';
import { windowIs } from './window-words.ts';

export interface MetricPreviewFacts {
  readonly historyDays: number;
  readonly visitors: number;
  /** Null without data. */
  readonly value: number | null;
  readonly format: MetricFormat;
  /** Whether the value is a share of the visitors. */
  readonly isShare: boolean;
  /** Visitors whose window is not over. */
  readonly pending: number;
  readonly withinDays: number | null;
  readonly smallestEffect: number;
  readonly variations: number;
  readonly power: number;
  /** Null if there is not enough data. */
  readonly plan: { readonly visitors: number; readonly days: number | null } | null;
  readonly currency: string;
}

/** What a metric was lately, and how long a test of it would take. */
export function describeMetricPreview(facts: MetricPreviewFacts): string {
  const { historyDays, visitors, value, plan } = facts;
  const time = `the last ${historyDays === 1 ? 'day' : plural(historyDays, 'day')}`;
  const waiting = describeWaiting(facts);
  if (value === null) return `There is no data of ${time} yet.${waiting}`;
  const unit = unitOf({ metric: 'ratio', format: facts.format });
  const written = singleValue(value, unit, facts.currency);
  const measured = `In ${time}: ${written}${facts.isShare ? ' of' : ', from'} ${plural(visitors, 'visitor')}.${waiting}`;
  if (plan === null) return `${measured} That is not enough data for a plan.`;
  const days = plan.days === null ? '' : ` and about ${plural(plan.days, 'day')}`;
  return `${measured} A test with ${facts.variations} variations needs ${count(plan.visitors)} visitors${days}, to find a change of ${percent(facts.smallestEffect)} in ${percent(facts.power)} of the cases.`;
}

function describeWaiting({ pending, withinDays }: MetricPreviewFacts): string {
  if (pending === 0) return '';
  return ` ${plural(pending, 'visitor')} ${pending === 1 ? 'is' : 'are'} not counted yet: their ${windowIs(withinDays)} not over.`;
}
