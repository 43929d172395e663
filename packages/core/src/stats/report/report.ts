import { DAY_MS } from '../../time.ts';
import type { VariationResult } from '../analysis.ts';
import { type Arm, meanArm, proportionArm } from '../arm.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { checkHealth, type HealthProblem } from './health.ts';
import { type Novelty, noveltyOf } from './novelty.ts';
import {
  countVisitors,
  exposuresOf,
  noGoalSums,
  type VariationCounts,
  variationCounts,
} from './report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput } from './report-input.ts';
import { type MetricResult, methodOf, metricsOf } from './report-metrics.ts';
import { decideVerdict, type GoalOutcome, overallVerdict, type Verdict } from './verdict.ts';
import { describeProblem } from './verdict-words.ts';

/** Grows when the same input may give other numbers. */
export const REPORT_VERSION = 1;

/** The traffic of late is what the next days will bring. */
const RECENT_DAYS = 7;

export interface AdjustedResult extends VariationResult {
  /** The p-value after the correction for looking at several; null where there is none. */
  readonly adjustedPValue: number | null;
}

export interface GoalReport {
  readonly goal: ReportGoal;
  /** In the order of the variations. */
  readonly counts: readonly ({ readonly key: string; readonly visitors: number } & ReportGoalSums)[];
  readonly metrics: readonly (Omit<MetricResult, 'variations'> & {
    readonly variations: readonly AdjustedResult[];
  })[];
}

export interface Report {
  readonly variations: readonly {
    readonly key: string;
    readonly weight: number;
    readonly exposures: number;
    readonly visitors: number;
    readonly bots: number;
  }[];
  /** Seen in several variations, and so in none of the counts. */
  readonly mixedVisitors: number;
  readonly goals: readonly GoalReport[];
  readonly problems: readonly (HealthProblem & { readonly words: string })[];
  /** On every variation but the control. */
  readonly verdicts: readonly Verdict[];
  /** On the test as a whole; null for a test without goals or without a second variation. */
  readonly verdict: Verdict | null;
}

/** Counts in, verdict out. */
export function buildReport(input: ReportInput): Report {
  const counts = variationCounts(input, () => true);
  const goals = adjusted(
    input.goals.map((goal) => ({ goal, metrics: metricsOf(goal, counts, input) })),
    input,
  );
  const mixedVisitors = countVisitors(input, ({ variationKey }) => variationKey === null);
  const problems = healthOf(input, counts, mixedVisitors);
  const verdicts = verdictsOf(input, counts, goals, problems);
  return {
    variations: input.variations.map(({ key, weight }, index) => ({
      key,
      weight,
      exposures: exposuresOf(input, key),
      visitors: counts[index]!.visitors,
      bots: input.groups
        .filter((group) => group.bot && group.variationKey === key)
        .reduce((sum, { visitors }) => sum + visitors, 0),
    })),
    mixedVisitors,
    goals: goals.map(({ goal, metrics }) => ({
      goal,
      counts: counts.map(({ key, visitors, goals: sums }) => ({
        key,
        visitors,
        ...(sums.get(goal.id) ?? noGoalSums(goal.id)),
      })),
      metrics,
    })),
    problems: problems.map((problem) => ({ ...problem, words: describeProblem(problem) })),
    verdicts,
    verdict: overallVerdict(verdicts),
  };
}

/** Corrects for all that decides, over goals and variations; what explains is compared on its own. */
function adjusted(
  goals: readonly { goal: ReportGoal; metrics: readonly MetricResult[] }[],
  { statistics }: ReportInput,
): Pick<GoalReport, 'goal' | 'metrics'>[] {
  const deciding = goals.flatMap(({ metrics }) => metrics.filter(({ decides }) => decides));
  const pValues = deciding.flatMap(({ variations }) => variations.map(({ pValue }) => pValue));
  const corrected = adjustPValues(pValues, statistics.correction);
  let next = 0;
  return goals.map(({ goal, metrics }) => ({
    goal,
    metrics: metrics.map((metric) => ({
      ...metric,
      variations: metric.variations.map((result) => ({
        ...result,
        adjustedPValue: metric.decides ? corrected[next++]! : result.pValue,
      })),
    })),
  }));
}

function healthOf(
  input: ReportInput,
  counts: readonly VariationCounts[],
  mixedVisitors: number,
): HealthProblem[] {
  const primary = input.goals.find(({ role }) => role === 'primary');
  return checkHealth({
    variations: counts.map(({ key, visitors, goals }, index) => ({
      key,
      visitors,
      weight: input.variations[index]!.weight,
      ...(primary && {
        conversions: goals.get(primary.id)?.converted ?? 0,
        novelty: index === 0 ? null : noveltyIn(input, primary, index),
      }),
    })),
    mixedVisitors,
    dailyVisitors: dailyExposures(input),
  });
}

function noveltyIn(input: ReportInput, goal: ReportGoal, index: number): Novelty | null {
  const [early, late] = [true, false].map((wanted) => {
    const counts = variationCounts(input, (group) => group.early === wanted);
    return { control: armOf(goal, counts[0]!), variation: armOf(goal, counts[index]!) };
  });
  return noveltyOf(early!, late!);
}

function armOf(goal: ReportGoal, { visitors, goals }: VariationCounts): Arm {
  const sums = goals.get(goal.id) ?? noGoalSums(goal.id);
  if (goal.kind === 'count') return proportionArm({ n: visitors, sum: sums.converted });
  return meanArm({ n: visitors, sum: sums.amount.sum, sumSquares: sums.amount.sumSquares });
}

/** Exposures of each full day of the phase on which it was not paused, the oldest first. */
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

function verdictsOf(
  input: ReportInput,
  counts: readonly VariationCounts[],
  goals: readonly Pick<GoalReport, 'goal' | 'metrics'>[],
  problems: readonly HealthProblem[],
): Verdict[] {
  const primary = goals.find(({ goal }) => goal.role === 'primary');
  if (!primary) return [];
  const guardrails = goals.filter(({ goal }) => goal.role === 'guardrail');
  const share = pairShare(input);
  return counts.slice(1).map(({ key, visitors }, at) => {
    const index = at + 1;
    const pair = counts[0]!.visitors + visitors;
    const { plannedVisitors, smallestEffect } = input;
    return decideVerdict({
      ...methodOf(input),
      variation: key,
      problems,
      primary: outcomeOf(primary, index),
      guardrails: guardrails.map((goal) => outcomeOf(goal, index)),
      smallestEffect: smallestEffect === null ? null : { kind: 'relative', value: smallestEffect },
      visitors: pair,
      ...(input.endedAt === null ? { dailyVisitors: pair * recentShare(input) } : { isOver: true }),
      ...(plannedVisitors !== null && { plannedVisitors: Math.round(plannedVisitors * share(index)) }),
    });
  });
}

function outcomeOf({ goal, metrics }: Pick<GoalReport, 'goal' | 'metrics'>, index: number): GoalOutcome {
  const result = metrics.find(({ decides }) => decides)!.variations[index]!;
  const { name, lowerIsBetter } = goal;
  return { name, lowerIsBetter, comparison: result, adjustedPValue: result.adjustedPValue };
}

/** What part of all visitors a variation and the control get together. */
function pairShare({ variations }: ReportInput): (index: number) => number {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => (variations[0]!.weight + variations[index]!.weight) / total;
}

/** The part of all exposures that an average day of the last week brought; they are counted from midnight on. */
function recentShare(input: ReportInput): number {
  const midnight = Math.floor((input.asOf - RECENT_DAYS * DAY_MS) / DAY_MS) * DAY_MS;
  const days = Math.max(1, (input.asOf - Math.max(midnight, input.startedAt)) / DAY_MS);
  const all = input.exposures.reduce((sum, { exposures }) => sum + exposures, 0);
  const recent = input.exposures
    .filter(({ at }) => at >= midnight)
    .reduce((sum, it) => sum + it.exposures, 0);
  return all === 0 ? 0 : recent / all / days;
}
