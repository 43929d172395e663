import { formatChange, formatMoney, formatPercent } from '../../../../ui/format/format.ts';
import { quantileName } from '../../../metrics/quantile-name.ts';
import type { ComparedGoal, EffectInterval, MetricResult, VariationResult } from '../results-types.ts';

export type Direction = 'better' | 'worse' | 'unclear';

/** The metric that the verdict on a goal is based on. */
export const decidingMetric = (goal: ComparedGoal): MetricResult =>
  goal.metrics.find(({ decides }) => decides) ?? goal.metrics[0]!;

/** Percentages of a value that is zero or negative would mislead. */
export const isRelative = (metric: MetricResult): boolean => (metric.variations[0]?.mean ?? 0) > 0;

export const effectOf = (metric: MetricResult, result: VariationResult): EffectInterval | null =>
  isRelative(metric) ? result.relative : result.absolute;

/** The same rule as the verdict has: a difference that is only clear without the correction is not clear. */
export function directionOf(goal: ComparedGoal, result: VariationResult, alpha: number): Direction {
  const { absolute, adjustedPValue, pValue } = result;
  if (absolute === null || absolute.estimate === 0) return 'unclear';
  const p = adjustedPValue ?? pValue;
  const excludesZero = (absolute.low ?? -1) > 0 || (absolute.high ?? 1) < 0;
  if (!(p === null ? excludesZero : p < alpha)) return 'unclear';
  return absolute.estimate > 0 === goal.lowerIsBetter ? 'worse' : 'better';
}

const METRIC_NAMES: Record<MetricResult['metric'], string> = {
  'conversion-rate': 'Conversion rate',
  'conversions-per-visitor': 'Conversions per visitor',
  'revenue-per-visitor': 'Revenue per visitor',
  'revenue-per-converted-visitor': 'Revenue per converted visitor',
  'answer-rate': 'Answer rate',
  'option-share': 'Share of the option',
  'sum-per-visitor': 'Sum per visitor',
  'visitor-share': 'Share of visitors',
  'views-per-visitor': 'Views per visitor',
  'events-per-visitor': 'Events per visitor',
  'bounce-rate': 'Bounce rate',
  ratio: 'Ratio',
  'retention-rate': 'Came back',
  'completion-rate': 'Completed',
  'step-rate': 'Reached the step',
  quantile: 'Quantile',
};
export function metricName({ metric, step }: MetricResult, { quantile }: ComparedGoal): string {
  if (step !== undefined) return `Reached step ${step}`;
  return quantile === undefined ? METRIC_NAMES[metric] : quantileName(quantile);
}

const isRate = ({ metric, format }: MetricResult) =>
  format === undefined ? /rate|share/.test(metric) : format === 'percent';
const isMoney = ({ metric, format }: MetricResult) =>
  format === undefined ? metric.startsWith('revenue') : format === 'money';
const unitOf = ({ format }: MetricResult) => (format === 'seconds' ? ' s' : '');
const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

export function formatMean(metric: MetricResult, mean: number | null, currency: string): string {
  if (mean === null) return '–';
  if (isRate(metric)) return formatPercent(mean);
  return isMoney(metric) ? formatMoney(mean, currency) : `${decimal.format(mean)}${unitOf(metric)}`;
}

/** A change in the unit of `effectOf`, with its sign. */
export function formatEffect(metric: MetricResult, change: number, currency: string): string {
  return isRelative(metric) ? formatShortChange(change) : formatDifference(metric, change, currency);
}

/** An absolute change with its sign, such as "+1.2 points". */
export function formatDifference(metric: MetricResult, change: number, currency: string): string {
  const sign = change > 0 ? '+' : '';
  if (isRate(metric)) return `${sign}${points.format(100 * change)} points`;
  if (isMoney(metric)) return `${sign}${formatMoney(change, currency)}`;
  return `${sign}${decimal.format(change)}${unitOf(metric)}`;
}

/** Without decimals where they do not matter. */
const formatShortChange = (share: number) =>
  Math.abs(share) >= 0.1 && Math.abs(share) < 100
    ? formatChange(Math.round(share * 100) / 100)
    : formatChange(share);

/** Such as "between -5 % and +12 %"; an end without a limit is said so. */
export function describeRange(
  { low, high }: Pick<EffectInterval, 'low' | 'high'>,
  format: (change: number) => string,
): string {
  if (low !== null && high !== null) return `between ${format(low)} and ${format(high)}`;
  if (low !== null) return `at least ${format(low)}`;
  if (high !== null) return `at most ${format(high)}`;
  return 'range not known yet';
}

export const visitorsOf = (counts: readonly { visitors: number }[]): number =>
  counts.reduce((sum, { visitors }) => sum + visitors, 0);

/** "95 %" for an alpha of 0.05. */
export const levelOf = (alpha: number): string => `${decimal.format(100 * (1 - alpha))} %`;
