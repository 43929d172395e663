import type { MetricPreview } from '@switchyard/core/api/metrics';
import { detectableForMetric, planForMetric } from '@switchyard/core/stats/metrics/metric-plan';
import { methodOf } from '@switchyard/core/stats/report/report-method';
import { describePreview } from '@switchyard/core/stats/words/plan-words';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import type { OutcomeBaseline, PlannedOutcome } from './planned-outcome.ts';
import { measuredFacts } from './test-plan.ts';

export const PREVIEW_DAYS = 30;
/** What a test would be planned for. */
const SMALLEST_EFFECT = 0.1;
const TEST_DAYS = 14;

/** A metric that is shown before it is used, or before it is saved. */
export interface PreviewedMetric {
  readonly isSaved: boolean;
  readonly outcome: PlannedOutcome & { readonly kind: 'metric' };
}

/** What a metric was in the last days, and what a test of two variations would find with it. */
export function metricPreview(
  { statistics, displayCurrency }: Pick<PropertyConfiguration, 'statistics' | 'displayCurrency'>,
  { isSaved, outcome }: PreviewedMetric,
  recent: OutcomeBaseline,
): MetricPreview {
  const { definition } = outcome;
  const { visitors, pending, reached, mean, variance, baseline, counts } = recent;
  const dailyVisitors = (visitors + pending) / recent.days;
  const settings = baseline && {
    ...methodOf({ statistics, plannedVisitors: visitors }, visitors),
    spending: statistics.spending,
    correction: statistics.correction,
    baseline,
    dailyVisitors,
    withinDays: definition.withinDays,
  };
  const smallestEffect = { kind: 'relative', value: SMALLEST_EFFECT } as const;
  const plan = settings && planForMetric({ ...settings, smallestEffect });
  const detectable = settings && detectableForMetric(settings, TEST_DAYS);
  const measured = measuredFacts(outcome, recent, displayCurrency)!;
  return {
    metric: isSaved ? outcome.id : null,
    name: outcome.name,
    kind: definition.kind,
    format: measured.format,
    days: PREVIEW_DAYS,
    visitors,
    pending,
    reached,
    ...(counts && 'values' in counts && { values: counts.values }),
    ...(counts && 'steps' in counts && counts.steps && { steps: namedSteps(definition.steps, counts.steps) }),
    value: mean,
    standardError: variance === null || visitors === 0 ? null : Math.sqrt(variance / visitors),
    plan: { smallestEffect: SMALLEST_EFFECT, visitors: plan?.visitors ?? null, days: plan?.days ?? null },
    detectable: { days: TEST_DAYS, smallestEffect: detectable },
    words: describePreview({
      measured,
      days: PREVIEW_DAYS,
      visitors,
      smallestEffect: SMALLEST_EFFECT,
      plannedDays: plan?.days ?? null,
      testDays: TEST_DAYS,
      detectable,
    }),
  };
}

const namedSteps = (names: readonly string[] = [], visitors: readonly number[]) =>
  names.map((name, index) => ({ name, visitors: visitors[index] ?? 0 }));
