import { DAY_MS } from '../../time.ts';
import type { Method } from '../analysis.ts';
import { type Arm, meanArm, proportionArm } from '../arm.ts';
import { describeProblem } from '../words/health-words.ts';
import type { Traffic } from './forecast.ts';
import { compareGoals, comparisonSettings, type GoalComparison } from './goal-comparison.ts';
import { checkHealth, collectingOf, type HealthInput, type HealthProblem } from './health.ts';
import { type Novelty, noveltyOf } from './novelty.ts';
import {
  botCounts,
  countVisitors,
  exposureCounts,
  noGoalSums,
  totalVisitors,
  type VariationCounts,
  variationCounts,
} from './report-counts.ts';
import { exposuresByDay, isPausedOn } from './report-days.ts';
import type { ReportGoal, ReportGoalSums, ReportInput } from './report-input.ts';
import { type DatedLooks, engineOf } from './report-looks.ts';
import { answeredIn, methodOf, unitOf } from './report-metrics.ts';
import { trafficOf } from './report-traffic.ts';
import { decideVerdict, type GoalOutcome, overallVerdict, type Verdict } from './verdict.ts';

/** Increased, from the first release on, when the same input may give different results. */
export const REPORT_VERSION = 1;

export interface GoalReport extends GoalComparison {
  /** In the order of the variations. */
  readonly counts: readonly ({
    readonly key: string;
    readonly visitors: number;
    /** Only for feedback. */
    readonly answered?: number;
  } & ReportGoalSums)[];
}

export interface Report {
  /** The method that was used. */
  readonly engine: Method;
  /** Share of the planned visitors that has been reached; null without a plan. */
  readonly plannedShare: number | null;
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
  const settings = comparisonSettings(input, counts);
  const goals = compareGoals(settings, counts, 'all');
  const mixedVisitors = countVisitors(input, ({ variationKey }) => variationKey === null);
  const health = healthInput(input, counts, mixedVisitors);
  const problems = checkHealth(health);
  const verdicts = verdictsOf(input, { counts, goals, health, problems, looks: settings.looks });
  const [exposures, bots] = [exposureCounts(input), botCounts(input)];
  return {
    engine: engineOf(input),
    plannedShare: input.plannedVisitors === null ? null : totalVisitors(counts) / input.plannedVisitors,
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
      counts: counts.map((it) => ({
        key: it.key,
        visitors: it.visitors,
        ...(it.goals.get(goal.id) ?? noGoalSums(goal.id)),
        ...(goal.kind === 'feedback' && { answered: answeredIn(goal, it) }),
      })),
      metrics,
    })),
    problems: problems.map((problem) => ({ ...problem, words: describeProblem(problem) })),
    verdicts,
    verdict: overallVerdict(verdicts),
  };
}

function healthInput(
  input: ReportInput,
  counts: readonly VariationCounts[],
  mixedVisitors: number,
): HealthInput {
  const primary = input.goals.find(({ role }) => role === 'primary');
  const novelty = primary && noveltyIn(input, primary);
  return {
    // If lower is better, a variation that nobody reaches the goal in may be the best one.
    goal: primary?.lowerIsBetter ? undefined : primary?.name,
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
  };
}

/** Novelty by index of the variation. */
function noveltyIn(input: ReportInput, goal: ReportGoal): (index: number) => Novelty | null {
  const arms = (early: boolean) =>
    variationCounts(input, (group) => group.early === early).map((counts) => armOf(goal, counts));
  const [early, late] = [arms(true), arms(false)];
  const pair = (all: readonly Arm[], index: number) => ({ control: all[0]!, variation: all[index]! });
  return (index) => noveltyOf(pair(early, index), pair(late, index));
}

function armOf(goal: ReportGoal, counts: VariationCounts): Arm {
  const { amount, converted } = counts.goals.get(goal.id) ?? noGoalSums(goal.id);
  const n = goal.kind === 'feedback' && goal.option !== null ? answeredIn(goal, counts) : counts.visitors;
  if (goal.kind !== 'revenue') return proportionArm({ n, sum: converted });
  return meanArm({ n, sum: amount.sum, sumSquares: amount.sumSquares });
}

/** Exposures of each full, unpaused day of the phase, oldest first. */
function dailyExposures(input: ReportInput): number[] {
  const byDay = exposuresByDay(input.exposures);
  const days: number[] = [];
  const end = Math.min(input.endedAt ?? input.asOf, input.asOf);
  for (let day = Math.ceil(input.startedAt / DAY_MS) * DAY_MS; day + DAY_MS <= end; day += DAY_MS) {
    if (!isPausedOn(day, input.pauses)) days.push(byDay.get(day) ?? 0);
  }
  return days;
}

interface Findings {
  readonly counts: readonly VariationCounts[];
  readonly goals: readonly GoalComparison[];
  readonly health: HealthInput;
  readonly problems: readonly HealthProblem[];
  readonly looks: DatedLooks;
}

function verdictsOf(input: ReportInput, findings: Findings): Verdict[] {
  const { counts, goals, problems, looks } = findings;
  const primary = goals.find(({ goal }) => goal.role === 'primary');
  if (!primary) return [];
  const guardrails = goals.filter(({ goal }) => goal.role === 'guardrail');
  const { plannedVisitors, smallestEffect, currency } = input;
  const total = totalVisitors(counts);
  const traffic = input.endedAt === null ? trafficOf(input, total) : undefined;
  const share = pairShare(input);
  const comparisons = input.statistics.correction === 'none' ? 1 : countComparisons(goals);
  return counts.slice(1).map(({ key, visitors }, at) => {
    const index = at + 1;
    const pair = counts[0]!.visitors + visitors;
    return decideVerdict({
      ...methodOf(input, looks),
      variation: key,
      variations: counts.length,
      currency,
      comparisons,
      problems,
      collecting: collectingFor(findings.health, traffic, total),
      primary: outcomeOf(primary, index),
      guardrails: guardrails.map((goal) => outcomeOf(goal, index)),
      smallestEffect: smallestEffect === null ? null : { kind: 'relative', value: smallestEffect },
      visitors: pair,
      isOver: input.endedAt !== null,
      // A test without a phase is reported as if it started now.
      hasStarted: input.startedAt < input.asOf,
      ...(traffic && total > 0 && { traffic: scaled(traffic, pair / total) }),
      // Relative to the whole test, so that all variations reach their planned end at the same time.
      ...(plannedVisitors !== null && {
        plannedVisitors: Math.max(1, Math.ceil(plannedVisitors * (total > 0 ? pair / total : share(index)))),
      }),
    });
  });
}

const countComparisons = (goals: readonly GoalComparison[]) =>
  Math.max(
    1,
    goals
      .flatMap(({ metrics }) => metrics.filter(({ decides }) => decides))
      .flatMap(({ variations }) => variations)
      .filter(({ adjustedPValue }) => adjustedPValue !== null).length,
  );

const scaled = ({ dailyVisitors, uncertainty }: Traffic, share: number): Traffic => ({
  dailyVisitors: dailyVisitors * share,
  uncertainty,
});

/** With the days until there is enough data, at the current traffic. */
function collectingFor(health: HealthInput, traffic: Traffic | undefined, visitors: number) {
  const collecting = collectingOf(health);
  if (collecting === null) return null;
  const { conversions, required } = collecting;
  const daily = traffic && visitors > 0 ? (conversions * traffic.dailyVisitors) / visitors : 0;
  return { ...collecting, days: daily > 0 ? Math.ceil((required - conversions) / daily) : null };
}

function outcomeOf({ goal, metrics }: GoalComparison, index: number): GoalOutcome {
  const { metric, variations } = metrics.find(({ decides }) => decides)!;
  const result = variations[index]!;
  return {
    name: goal.name,
    lowerIsBetter: goal.lowerIsBetter,
    unit: unitOf(metric),
    control: variations[0]!.mean,
    variation: result.mean,
    comparison: result,
    adjustedPValue: result.adjustedPValue,
  };
}

/** The share of all visitors that a variation and the control get together. */
function pairShare({ variations }: ReportInput): (index: number) => number {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (index) => (variations[0]!.weight + variations[index]!.weight) / total;
}
