import { DAY_MS } from '../../time.ts';
import { type Arm, meanArm, proportionArm } from '../arm.ts';
import { compareGoals, type GoalComparison } from './goal-comparison.ts';
import { checkHealth, type HealthProblem } from './health.ts';
import { type Novelty, noveltyOf } from './novelty.ts';
import {
  botCounts,
  countVisitors,
  exposureCounts,
  noGoalSums,
  type VariationCounts,
  variationCounts,
} from './report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput } from './report-input.ts';
import { methodOf } from './report-metrics.ts';
import { decideVerdict, type GoalOutcome, overallVerdict, type Verdict } from './verdict.ts';
import { describeProblem } from './verdict-words.ts';

/** Increased when the same input may give different results; `switchyard verify` needs a copy of the earlier version. */
export const REPORT_VERSION = 2;

/** Recent traffic is used to predict the traffic of the next days. */
const RECENT_DAYS = 7;

export interface GoalReport extends GoalComparison {
  /** In the order of the variations. */
  readonly counts: readonly ({ readonly key: string; readonly visitors: number } & ReportGoalSums)[];
}

export interface Report {
  readonly variations: readonly {
    readonly key: string;
    readonly weight: number;
    readonly exposures: number;
    readonly visitors: number;
    readonly bots: number;
  }[];
  /** Seen in several variations, and excluded from all counts. */
  readonly mixedVisitors: number;
  readonly goals: readonly GoalReport[];
  readonly problems: readonly (HealthProblem & { readonly words: string })[];
  /** One for each variation except the control. */
  readonly verdicts: readonly Verdict[];
  /** The verdict on the whole test; null without goals or without a second variation. */
  readonly verdict: Verdict | null;
}

export function buildReport(input: ReportInput): Report {
  const counts = variationCounts(input, () => true);
  const goals = compareGoals(input, counts, 'all');
  const mixedVisitors = countVisitors(input, ({ variationKey }) => variationKey === null);
  const problems = healthOf(input, counts, mixedVisitors);
  const verdicts = verdictsOf(input, counts, goals, problems);
  const [exposures, bots] = [exposureCounts(input), botCounts(input)];
  return {
    variations: input.variations.map(({ key, weight }, index) => ({
      key,
      weight,
      exposures: exposures.get(key) ?? 0,
      visitors: counts[index]!.visitors,
      bots: bots.get(key) ?? 0,
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

function healthOf(
  input: ReportInput,
  counts: readonly VariationCounts[],
  mixedVisitors: number,
): HealthProblem[] {
  const primary = input.goals.find(({ role }) => role === 'primary');
  const novelty = primary && noveltyIn(input, primary);
  return checkHealth({
    variations: counts.map(({ key, visitors, goals }, index) => ({
      key,
      visitors,
      weight: input.variations[index]!.weight,
      ...(primary && {
        conversions: goals.get(primary.id)?.converted ?? 0,
        novelty: index === 0 ? null : novelty!(index),
      }),
    })),
    mixedVisitors,
    dailyVisitors: dailyExposures(input),
  });
}

/** Novelty by index of the variation. */
function noveltyIn(input: ReportInput, goal: ReportGoal): (index: number) => Novelty | null {
  const arms = (early: boolean) =>
    variationCounts(input, (group) => group.early === early).map((counts) => armOf(goal, counts));
  const [early, late] = [arms(true), arms(false)];
  const pair = (all: readonly Arm[], index: number) => ({ control: all[0]!, variation: all[index]! });
  return (index) => noveltyOf(pair(early, index), pair(late, index));
}

function armOf(goal: ReportGoal, { visitors, goals }: VariationCounts): Arm {
  const sums = goals.get(goal.id) ?? noGoalSums(goal.id);
  if (goal.kind === 'count') return proportionArm({ n: visitors, sum: sums.converted });
  return meanArm({ n: visitors, sum: sums.amount.sum, sumSquares: sums.amount.sumSquares });
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

function verdictsOf(
  input: ReportInput,
  counts: readonly VariationCounts[],
  goals: readonly GoalComparison[],
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

function outcomeOf({ goal, metrics }: GoalComparison, index: number): GoalOutcome {
  const result = metrics.find(({ decides }) => decides)!.variations[index]!;
  const { name, lowerIsBetter } = goal;
  return { name, lowerIsBetter, comparison: result, adjustedPValue: result.adjustedPValue };
}

/** The share of all visitors that a variation and the control get together. */
function pairShare({ variations }: ReportInput): (index: number) => number {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => (variations[0]!.weight + variations[index]!.weight) / total;
}

/** The share of all exposures on an average day of the last week, starting at midnight. */
function recentShare(input: ReportInput): number {
  const midnight = Math.floor((input.asOf - RECENT_DAYS * DAY_MS) / DAY_MS) * DAY_MS;
  const days = Math.max(1, (input.asOf - Math.max(midnight, input.startedAt)) / DAY_MS);
  const all = input.exposures.reduce((sum, { exposures }) => sum + exposures, 0);
  const recent = input.exposures
    .filter(({ at }) => at >= midnight)
    .reduce((sum, it) => sum + it.exposures, 0);
  return all === 0 ? 0 : recent / all / days;
}
