import type { EffectOptions } from '../effect.ts';
import type { ReportMetric } from '../report/report-input.ts';
import { type ArmsOf, meanArms, quantileArms, ratioArms, shareArms } from './metric-arms.ts';
import type { MetricCounts } from './metric-counts.ts';

export type MetricFormat = ReportMetric['format'];

export type MeasureName =
  | 'conversion-rate'
  | 'conversions-per-visitor'
  | 'sum-per-visitor'
  | 'visitor-share'
  | 'views-per-visitor'
  | 'events-per-visitor'
  | 'bounce-rate'
  | 'ratio'
  | 'retention-rate'
  | 'completion-rate'
  | 'step-rate'
  | 'quantile';

/** One way to look at a metric. */
export interface Measure extends EffectOptions {
  readonly name: MeasureName;
  readonly format: MetricFormat;
  /** Of a funnel, from 1 on. */
  readonly step?: number;
  readonly armsOf: ArmsOf;
}

/** All measures of a metric; the first one decides, the others explain. */
export function measuresOf(definition: ReportMetric): readonly [Measure, ...Measure[]] {
  const { kind, of, format, quantile = 0.5 } = definition;
  switch (kind) {
    case 'count':
      return [share('conversion-rate'), mean('conversions-per-visitor', format)];
    case 'sum':
      // Refunds can make the sum of a visitor negative.
      return [{ ...mean('sum-per-visitor', format), nonNegative: false }, share('visitor-share')];
    case 'ratio':
      return [{ name: 'ratio', format, metric: 'ratio', armsOf: ratioArms }];
    case 'retention':
      return [share('retention-rate')];
    case 'funnel':
      return [share('completion-rate'), ...(definition.steps ?? []).map((_, index) => stepOf(index))];
    case 'quantile':
      return [{ name: 'quantile', format, metric: 'mean', armsOf: quantileArms(quantile) }];
    case 'page':
      if (of === 'bounce') return [BOUNCES];
      return of === 'views'
        ? [mean('views-per-visitor', format), share('visitor-share')]
        : [share('visitor-share')];
    case 'event':
      return of === 'count'
        ? [mean('events-per-visitor', format), share('visitor-share')]
        : [share('visitor-share')];
  }
}

const BOUNCES: Measure = {
  name: 'bounce-rate',
  format: 'percent',
  metric: 'ratio',
  nonNegative: true,
  armsOf: ratioArms,
};

const share = (name: MeasureName): Measure => ({
  name,
  format: 'percent',
  metric: 'proportion',
  armsOf: shareArms(({ visitors, reached }) => ({ visitors, sum: reached })),
});

const mean = (name: MeasureName, format: MetricFormat): Measure => ({
  name,
  format,
  metric: 'mean',
  nonNegative: true,
  armsOf: meanArms,
});

/** Of those who reached the step before, how many reached this one. */
const stepOf = (index: number): Measure => ({
  name: 'step-rate',
  format: 'percent',
  step: index + 1,
  metric: 'proportion',
  armsOf: shareArms(({ visitors, steps }: MetricCounts) => ({
    visitors: index === 0 ? visitors : (steps[index - 1] ?? 0),
    sum: steps[index] ?? 0,
  })),
});
