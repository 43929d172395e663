import { DAY_MS } from '../../time.ts';
import { type Arm, meanArm, proportionArm } from '../arm.ts';
import { normalSurvival } from '../distributions/normal.ts';
import { noGoalSums, type VariationCounts, variationCounts } from '../report/report-counts.ts';
import type { ReportGoal, ReportInput } from '../report/report-input.ts';
import { sampleRatio } from '../sample-ratio.ts';
import { type Estimate, effectOf, withSpreadOfBoth } from './effect.ts';

const ALARM_P_VALUE = 0.001;
/** For a check of the split. */
const MIN_VISITORS = 100;
const MAX_MIXED_SHARE = 0.01;
/** Per variation. */
const MIN_CONVERSIONS = 25;
/** Of exposures, for a check of days without any. */
const MIN_MEDIAN_DAY = 20;

export type HealthProblem =
  | {
      readonly problem: 'sample-ratio-mismatch';
      readonly pValue: number;
      readonly visitors: readonly { key: string; visitors: number; expected: number }[];
    }
  | { readonly problem: 'missing-exposures'; readonly variations: readonly string[]; readonly days: number }
  | { readonly problem: 'mixed-visitors'; readonly mixed: number; readonly share: number }
  | ({ readonly problem: 'novelty'; readonly variation: string } & Novelty)
  | {
      readonly problem: 'too-few-conversions';
      readonly variation: string;
      readonly conversions: number;
      readonly least: number;
    };

interface Novelty {
  readonly early: number;
  readonly late: number;
  readonly unit: 'relative' | 'absolute';
  readonly pValue: number;
}

/** All problems that prevent a verdict, the worst first. */
export function checkHealth(
  input: ReportInput,
  counts: readonly VariationCounts[],
  mixed: number,
): HealthProblem[] {
  const total = counts.reduce((sum, { visitors }) => sum + visitors, 0);
  const primary = input.goals.find(({ role }) => role === 'primary');
  return [
    ...sampleRatioProblem(input, counts, total),
    ...missingExposures(input, counts, total),
    ...mixedVisitors(mixed, total + mixed),
    ...(primary ? noveltyProblems(input, primary) : []),
    ...(primary ? fewConversions(primary, counts) : []),
  ];
}

function sampleRatioProblem(
  { variations }: ReportInput,
  counts: readonly VariationCounts[],
  total: number,
): HealthProblem[] {
  if (total < MIN_VISITORS) return [];
  const weights = variations.map(({ weight }) => weight);
  const ratio = sampleRatio(
    counts.map(({ visitors }) => visitors),
    weights,
  );
  if (ratio === null || ratio.pValue >= ALARM_P_VALUE) return [];
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  const visitors = counts.map((it, index) => ({
    key: it.key,
    visitors: it.visitors,
    expected: (total * weights[index]!) / allWeights,
  }));
  return [{ problem: 'sample-ratio-mismatch', pValue: ratio.pValue, visitors }];
}

function missingExposures(
  input: ReportInput,
  counts: readonly VariationCounts[],
  total: number,
): HealthProblem[] {
  const silent = counts
    .filter(({ visitors }, index) => visitors === 0 && input.variations[index]!.weight > 0)
    .map(({ key }) => key);
  const variations = total < MIN_VISITORS ? [] : silent;
  const days = dailyExposures(input);
  const median = days.toSorted((a, b) => a - b)[Math.floor(days.length / 2)] ?? 0;
  const gaps = median < MIN_MEDIAN_DAY ? 0 : days.filter((exposures) => exposures === 0).length;
  return variations.length + gaps === 0 ? [] : [{ problem: 'missing-exposures', variations, days: gaps }];
}

/** Exposures of each full, unpaused day of the phase, oldest first. */
function dailyExposures(input: ReportInput): number[] {
  const byDay = new Map<number, number>();
  for (const { at, exposures } of input.exposures) byDay.set(at, (byDay.get(at) ?? 0) + exposures);
  const days: number[] = [];
  const end = Math.min(input.endedAt ?? input.asOf, input.asOf);
  for (let day = Math.ceil(input.startedAt / DAY_MS) * DAY_MS; day + DAY_MS <= end; day += DAY_MS) {
    const isPaused = input.pauses?.some(({ from, to }) => from < day + DAY_MS && (to ?? Infinity) > day);
    if (!isPaused) days.push(byDay.get(day) ?? 0);
  }
  return days;
}

function mixedVisitors(mixed: number, all: number): HealthProblem[] {
  const share = all === 0 ? 0 : mixed / all;
  return share > MAX_MIXED_SHARE ? [{ problem: 'mixed-visitors', mixed, share }] : [];
}

function fewConversions(primary: ReportGoal, counts: readonly VariationCounts[]): HealthProblem[] {
  return counts.flatMap(({ key, goals }) => {
    const conversions = goals.get(primary.id)?.converted ?? 0;
    if (conversions >= MIN_CONVERSIONS) return [];
    return [{ problem: 'too-few-conversions', variation: key, conversions, least: MIN_CONVERSIONS }];
  });
}

interface Pair {
  readonly control: Arm;
  readonly variation: Arm;
}

function noveltyProblems(input: ReportInput, primary: ReportGoal): HealthProblem[] {
  const arms = (early: boolean) =>
    variationCounts(input, (group) => group.early === early).map((counts) => armOf(primary, counts));
  const [early, late] = [arms(true), arms(false)];
  const pair = (all: readonly Arm[], index: number) => ({ control: all[0]!, variation: all[index]! });
  return input.variations.flatMap(({ key }, index) => {
    const novelty = index === 0 ? null : noveltyOf(pair(early, index), pair(late, index));
    if (novelty === null || !(novelty.pValue < ALARM_P_VALUE)) return [];
    return [{ problem: 'novelty', variation: key, ...novelty }];
  });
}

function armOf(goal: ReportGoal, { visitors, goals }: VariationCounts): Arm {
  const sums = goals.get(goal.id) ?? noGoalSums(goal.id);
  if (goal.kind === 'count') return proportionArm({ n: visitors, sum: sums.converted });
  return meanArm({ n: visitors, sum: sums.amount.sum, sumSquares: sums.amount.sumSquares });
}

/** Compares ratios of the means, or differences if a mean is not positive. */
function noveltyOf(first: Pair, later: Pair): Novelty | null {
  const ratios = [logRatio(first), logRatio(later)];
  const isRelative = !ratios.includes(null);
  const [early, late] = isRelative ? ratios : [difference(first), difference(later)];
  if (early?.variance == null || late?.variance == null) return null;
  const z = (early.value - late.value) / Math.sqrt(early.variance + late.variance);
  const pValue = 2 * normalSurvival(Math.abs(z));
  return isRelative
    ? { early: Math.expm1(early.value), late: Math.expm1(late.value), unit: 'relative', pValue }
    : { early: early.value, late: late.value, unit: 'absolute', pValue };
}

const difference = ({ control, variation }: Pair) => withSpreadOfBoth(effectOf(control, variation)).absolute;

/** Log ratio of the means, with its variance by the delta method; null unless both means are positive. */
function logRatio({ control, variation }: Pair): Estimate | null {
  if (!(isPositive(control) && isPositive(variation))) return null;
  const variance = relativeVariance(control) + relativeVariance(variation);
  const bothVary = control.variance! > 0 && variation.variance! > 0;
  return { value: Math.log(variation.mean! / control.mean!), variance: bothVary ? variance : null };
}

const isPositive = ({ mean, variance }: Arm) => mean !== null && mean > 0 && variance !== null;

const relativeVariance = ({ mean, variance, n }: Arm) => variance! / n / mean! ** 2;
