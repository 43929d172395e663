import type { Method } from '../analysis.ts';
import { type Arm, meanArm, proportionArm } from '../arm.ts';
import { type MeasuredVariation, measuredVariations } from '../metrics/measured-variations.ts';
import { visitorsForQuantile } from '../metrics/metric-arms.ts';
import {
  completeVisitors,
  type MetricCountsByGoal,
  metricCounts,
  pendingVisitors,
} from '../metrics/metric-counts.ts';
import { metricNotes } from '../metrics/metric-notes.ts';
import { sampleRatio } from '../sample-ratio.ts';
import { combineStrata } from '../strata.ts';
import { describeProblem } from '../words/health-words.ts';
import { describeNote } from '../words/note-words.ts';
import { covariateImbalance } from './covariate-balance.ts';
import type { Traffic } from './forecast-paths.ts';
import { compareGoals, comparisonSettings, type GoalComparison } from './goal-comparison.ts';
import type { GoalOutcome } from './goal-outcome.ts';
import {
  DEFAULT_MAX_HARM,
  type GuardrailOutcome,
  type GuardrailState,
  judgeGuardrail,
  worstState,
} from './guardrails.ts';
import { checkHealth, collectingOf, type HealthInput, type HealthProblem } from './health.ts';
import { type Novelty, noveltyOf } from './novelty.ts';
import {
  botCounts,
  countVisitors,
  exposureCounts,
  firstCounts,
  noGoalSums,
  totalVisitors,
  type VariationCounts,
  type VisitorCounts,
  variationCounts,
} from './report-counts.ts';
import { exposuresByDay, fullDays } from './report-days.ts';
import type {
  CountedGoal,
  MetricGoal,
  ReportGoal,
  ReportGoalSums,
  ReportInput,
  ReportVariation,
} from './report-input.ts';
import { endsAtPlan, engineOf, methodOf, priorOf } from './report-method.ts';
import { answeredIn, type MetricResult, unitOf } from './report-metrics.ts';
import type { ReportNote } from './report-notes.ts';
import { comparedStrata } from './report-strata.ts';
import { trafficOf } from './report-traffic.ts';
import { decideVerdict, overallVerdict, type Verdict } from './verdict.ts';

/** Increased, from the first release on, when the same input may give different results. */
export const REPORT_VERSION = 1;

export interface GoalReport extends GoalComparison {
  /** Only for guardrails: the worst state of all variations, and the harm that must be excluded. */
  readonly state?: GuardrailState;
  readonly maxHarm?: number;
  /** In the order of the variations. */
  readonly counts: readonly ({
    readonly key: string;
    readonly visitors: number;
    /** Only for feedback. */
    readonly answered?: number;
  } & ReportGoalSums)[];
  /** Only for metrics, which have no counts: what was counted of them, in the order of the variations. */
  readonly measured?: readonly MeasuredVariation[];
}

export interface Report {
  /** The method that was used. */
  readonly engine: Method;
  /** The prior of the Bayesian method; null for others. */
  readonly prior: { readonly mean: number; readonly sd: number; readonly tests?: number } | null;
  /** Share of the planned visitors that has been reached; null without a plan. */
  readonly plannedShare: number | null;
  readonly variations: readonly {
    readonly key: string;
    readonly weight: number;
    readonly retired?: true;
    readonly exposures: number;
    readonly visitors: number;
    /** Visitors who saw this variation first, even if they saw others later; the split is checked with these. */
    readonly firstVisitors: number;
    readonly bots: number;
  }[];
  /** Of the check of the split; null without visitors, or with fewer than two variations that have a weight. */
  readonly splitPValue: number | null;
  /** Seen in several variations, and excluded from all counts. */
  readonly mixedVisitors: number;
  /** Seen in another variation in an earlier phase, and excluded from all counts. */
  readonly movedVisitors: number;
  readonly goals: readonly GoalReport[];
  readonly problems: readonly (HealthProblem & { readonly words: string })[];
  /** What a reader should know about the figures. */
  readonly notes: readonly (ReportNote & { readonly words: string })[];
  /** One for each variation except the control and those that are retired. */
  readonly verdicts: readonly Verdict[];
  /** The verdict on the whole test; null without goals or without a second variation. */
  readonly verdict: Verdict | null;
}

export function buildReport(input: ReportInput): Report {
  const counts = variationCounts(input);
  const compared = comparedCounts(input, counts);
  const goals = compareAll(input, compared);
  const mixedVisitors = countVisitors(input, ({ variationKey }) => variationKey === null);
  const movedVisitors = countVisitors(input, ({ moved = false }) => moved);
  const health = healthInput(input, compared, mixedVisitors);
  const problems = checkHealth(health);
  const verdicts = verdictsOf(input, { compared, goals, health, problems });
  const notes = notesOf(input, compared, movedVisitors);
  const [exposures, bots, first] = [exposureCounts(input), botCounts(input), firstCounts(input)];
  return {
    engine: engineOf(input),
    prior: engineOf(input) === 'bayesian' ? priorOf(input) : null,
    plannedShare: input.plannedVisitors === null ? null : totalVisitors(counts) / input.plannedVisitors,
    variations: input.variations.map(({ key, weight, retired }, index) => ({
      key,
      weight,
      ...(retired && { retired: true as const }),
      exposures: exposures.get(key) ?? 0,
      visitors: counts[index]!.visitors,
      firstVisitors: first.get(key) ?? 0,
      bots: bots.get(key) ?? 0,
    })),
    splitPValue: splitPValueOf(input, first),
    mixedVisitors,
    movedVisitors,
    goals: goals.map((it) => goalReport(it, compared, input, verdicts)),
    problems: problems.map((problem) => ({ ...problem, words: describeProblem(problem) })),
    notes: notes.map((note) => ({ ...note, words: describeNote(note) })),
    verdicts,
    verdict: overallVerdict(verdicts),
  };
}

/** Problems of the health of a test. */
export function healthProblems(input: ReportInput): HealthProblem[] {
  const mixed = countVisitors(input, ({ variationKey }) => variationKey === null);
  return checkHealth(healthInput(input, comparedCounts(input), mixed));
}

function splitPValueOf({ variations }: ReportInput, first: ReadonlyMap<string, number>): number | null {
  const active = variations.filter(({ retired }) => !retired);
  const ratio = sampleRatio(
    active.map(({ key }) => first.get(key) ?? 0),
    active.map(({ weight }) => weight),
  );
  return ratio?.pValue ?? null;
}

/** The counts that goals are compared with. */
export interface ComparedCounts {
  /** For guardrails: all visitors. */
  readonly now: readonly VariationCounts[];
  /** For all other goals: the same, or the visitors until the planned end. */
  readonly deciding: readonly VariationCounts[];
  /** Why covariates are not used although they should be; null if there is no reason. */
  readonly imbalance: ReturnType<typeof covariateImbalance>;
  /** What was counted of metrics, of the same visitors. */
  readonly metrics: { readonly now: MetricCountsByGoal; readonly deciding: MetricCountsByGoal };
}

export function comparedCounts(input: ReportInput, now = variationCounts(input)): ComparedCounts {
  const isOver = input.plannedEnd !== undefined && endsAtPlan(input);
  const { groups, metrics } = isOver ? input.plannedEnd! : input;
  const deciding = isOver ? variationCounts({ ...input, groups }) : now;
  return {
    now,
    deciding,
    metrics: {
      now: metricCounts(input, now),
      deciding: metricCounts({ ...input, metrics }, deciding),
    },
    imbalance: input.statistics.cuped ? covariateImbalance(now, input.goals) : null,
  };
}

const countsFor = <C>({ role }: ReportGoal, { now, deciding }: { readonly now: C; readonly deciding: C }) =>
  role === 'guardrail' ? now : deciding;

/** How goals are compared: with the covariates if the settings and the data allow it. */
export const settingsFor = (input: ReportInput, { deciding, imbalance }: ComparedCounts) =>
  comparisonSettings(input, deciding, input.statistics.cuped && imbalance === null);

function compareAll(input: ReportInput, compared: ComparedCounts): GoalComparison[] {
  const settings = settingsFor(input, compared);
  const { now, deciding, metrics } = compared;
  const guardrails = compareGoals(settings, now, 'all', 'guardrails', metrics.now);
  const others = compareGoals(settings, deciding, 'all', 'others', metrics.deciding);
  return input.goals.map((goal) => [...guardrails, ...others].find((it) => it.goal === goal)!);
}

function notesOf(input: ReportInput, compared: ComparedCounts, moved: number): ReportNote[] {
  const { imbalance, deciding, metrics } = compared;
  const notes: ReportNote[] = [];
  if (input.plannedEnd && endsAtPlan(input)) {
    notes.push({ note: 'planned-end', at: input.plannedEnd.at, visitors: totalVisitors(deciding) });
  }
  if (moved > 0) notes.push({ note: 'moved-visitors', visitors: moved });
  if (imbalance) notes.push({ note: 'covariate-imbalance', ...imbalance });
  return [...notes, ...metricNotes(input, (goal) => countsFor(goal, metrics))];
}

function goalReport(
  comparison: GoalComparison,
  compared: ComparedCounts,
  input: ReportInput,
  verdicts: readonly Verdict[],
): GoalReport {
  const { goal, metrics } = comparison;
  return {
    goal,
    ...(goal.role === 'guardrail' && {
      state: worstState(guardrailStates(comparison, compared, input, verdicts)),
      maxHarm: maxHarmOf(goal, input),
    }),
    ...(goal.kind === 'metric'
      ? { counts: [], measured: measuredVariations(goal, countsFor(goal, compared.metrics).get(goal.id)!) }
      : { counts: countedVariations(goal, countsFor(goal, compared)) }),
    metrics,
  };
}

/** As the verdicts judge it; without a primary goal, there is none. */
function guardrailStates(
  comparison: GoalComparison,
  compared: ComparedCounts,
  input: ReportInput,
  verdicts: readonly Verdict[],
): GuardrailState[] {
  if (verdicts.length > 0) {
    return verdicts.flatMap(({ guardrails }) =>
      guardrails.filter(({ id }) => id === comparison.goal.id).map(({ state }) => state),
    );
  }
  const { now } = compared;
  const method = methodOf(input, totalVisitors(now));
  return now.flatMap(({ retired, visitors }, index) => {
    if (index === 0 || retired) return [];
    const outcome = guardrailOutcome(comparison, index, input, compared);
    return judgeGuardrail(outcome, { ...method, visitors: now[0]!.visitors + visitors }).state;
  });
}

/** The relative harm that is accepted: for the primary goal the smallest effect, if there is one. */
export const marginOf = (
  goal: Pick<ReportGoal, 'role' | 'maxHarm'>,
  input: Pick<ReportInput, 'smallestEffect'>,
): number | null => (goal.role === 'guardrail' ? maxHarmOf(goal, input) : input.smallestEffect);

const maxHarmOf = (
  { maxHarm }: Pick<ReportGoal, 'maxHarm'>,
  { smallestEffect }: Pick<ReportInput, 'smallestEffect'>,
) => maxHarm ?? smallestEffect ?? DEFAULT_MAX_HARM;

const countedVariations = (goal: CountedGoal, counts: readonly VariationCounts[]) =>
  counts.map((it) => ({
    key: it.key,
    visitors: it.visitors,
    ...(it.goals.get(goal.id) ?? noGoalSums(goal.id)),
    ...(goal.kind === 'feedback' && { answered: answeredIn(goal, it) }),
  }));

function healthInput(
  input: ReportInput,
  { now: counts, metrics }: ComparedCounts,
  mixedVisitors: number,
): HealthInput {
  const primary = input.goals.find(({ role }) => role === 'primary');
  // What was counted of metrics cannot be divided into early and late visitors.
  const novelty = primary && primary.kind !== 'metric' ? noveltyIn(input, primary) : () => null;
  const measured = primary && metrics.now.get(primary.id);
  const first = firstCounts(input);
  // A retired variation gets no more visitors, which is no problem.
  const active = counts
    .map((own, index) => ({ counts: own, index }))
    .filter(({ counts: { retired } }) => !retired);
  return {
    // If lower is better, a variation that nobody reaches the goal in may be the best one.
    goal: primary?.lowerIsBetter ? undefined : primary?.name,
    variations: active.map(({ counts: { key, visitors, goals }, index }) => ({
      key,
      visitors,
      firstVisitors: first.get(key) ?? 0,
      weight: input.variations[index]!.weight,
      ...(primary && {
        conversions: measured ? measured[index]!.reached : (goals.get(primary.id)?.converted ?? 0),
        novelty: index === 0 ? null : novelty(index),
      }),
    })),
    ...(primary && minConversionsOf(primary)),
    mixedVisitors,
    dailyVisitors: dailyExposures(input),
  };
}

const minConversionsOf = (goal: ReportGoal) =>
  goal.kind === 'metric' && goal.definition.kind === 'quantile'
    ? { minConversions: visitorsForQuantile(goal.definition.quantile ?? 0.5) }
    : {};

/** Novelty by index of the variation. */
function noveltyIn(input: ReportInput, goal: CountedGoal): (index: number) => Novelty | null {
  const read = (counts: VisitorCounts) => armOf(goal, counts);
  const arms = (early: boolean) => {
    const counts = variationCounts(input, (group) => group.early === early);
    return combineStrata(
      comparedStrata(counts).map((stratum) => stratum.map(read)),
      counts.map(read),
    );
  };
  const [early, late] = [arms(true), arms(false)];
  const pair = (all: readonly Arm[], index: number) => ({ control: all[0]!, variation: all[index]! });
  return (index) => noveltyOf(pair(early, index), pair(late, index));
}

function armOf(goal: CountedGoal, counts: VisitorCounts): Arm {
  const { amount, converted } = counts.goals.get(goal.id) ?? noGoalSums(goal.id);
  const n = goal.kind === 'feedback' && goal.option !== null ? answeredIn(goal, counts) : counts.visitors;
  if (goal.kind !== 'revenue') return proportionArm({ n, sum: converted });
  return meanArm({ n, sum: amount.sum, sumSquares: amount.sumSquares });
}

/** Exposures of each full, unpaused day of the phase, oldest first. */
function dailyExposures(input: ReportInput): number[] {
  const byDay = exposuresByDay(input.exposures);
  return fullDays(input).map((day) => byDay.get(day) ?? 0);
}

interface Findings {
  readonly compared: ComparedCounts;
  readonly goals: readonly GoalComparison[];
  readonly health: HealthInput;
  readonly problems: readonly HealthProblem[];
}

function verdictsOf(input: ReportInput, { compared, goals, health, problems }: Findings): Verdict[] {
  const primary = goals.find(({ goal }) => goal.role === 'primary');
  if (!primary) return [];
  const guardrails = goals.filter(({ goal }) => goal.role === 'guardrail');
  const { plannedVisitors, smallestEffect, currency, statistics } = input;
  const { now, deciding } = compared;
  const measured = compared.metrics.deciding.get(primary.goal.id);
  // Of a metric, only visitors whose window is over are evaluated.
  const evaluated = measured ? measured.map(({ complete }) => complete) : deciding.map((it) => it.visitors);
  const total = measured ? completeVisitors(measured) : totalVisitors(deciding);
  const totalNow = totalVisitors(now);
  const traffic = input.endedAt === null ? trafficOf(input, totalNow) : undefined;
  const share = pairShare(input);
  return deciding.flatMap(({ key, retired }, index) => {
    if (index === 0 || retired) return [];
    const pair = evaluated[0]! + evaluated[index]!;
    const pairNow = now[0]!.visitors + now[index]!.visitors;
    return decideVerdict({
      ...methodOf(input, total),
      variation: key,
      variations: deciding.filter((it) => !it.retired).length,
      currency,
      comparisons: statistics.correction === 'none' ? 1 : countComparisons(primary),
      problems,
      collecting: collectingFor(health, traffic, measured ? total : totalNow),
      ...(measured && { pending: pendingVisitors(measured) }),
      primary: outcomeOf(primary, index),
      guardrails: guardrails.map((goal) => guardrailOutcome(goal, index, input, compared)),
      shipWithOpenGuardrails: statistics.shipWithOpenGuardrails,
      smallestEffect: smallestEffect === null ? null : { kind: 'relative', value: smallestEffect },
      visitors: pair,
      visitorsNow: pairNow,
      isOver: input.endedAt !== null,
      // A test without a phase is reported as if it started now.
      hasStarted: input.startedAt < input.asOf,
      ...(traffic && totalNow > 0 && { traffic: scaled(traffic, pairNow / totalNow) }),
      // Relative to the whole test, so that all variations reach their planned end at the same time.
      ...(plannedVisitors !== null && {
        plannedVisitors: Math.max(1, Math.ceil(plannedVisitors * (total > 0 ? pair / total : share(index)))),
      }),
    });
  });
}

/** The decision is about the primary goal, so only its variations are corrected for. */
function countComparisons({ metrics }: GoalComparison): number {
  const compared = metrics
    .filter(({ decides }) => decides)
    .flatMap(({ variations }) => variations)
    .filter(({ adjustedPValue }) => adjustedPValue !== null);
  return Math.max(1, compared.length);
}

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
  const deciding = metrics.find(({ decides }) => decides)!;
  const { variations } = deciding;
  const result = variations[index]!;
  return {
    id: goal.id,
    name: goal.name,
    lowerIsBetter: goal.lowerIsBetter,
    unit: unitOf(deciding),
    ...(goal.kind === 'metric' && metricOutcome(goal, deciding)),
    control: variations[0]!.mean,
    variation: result.mean,
    comparison: result,
    adjustedPValue: result.adjustedPValue,
  };
}

/** How words speak of a metric. */
const metricOutcome = (
  { definition: { kind, withinDays } }: MetricGoal,
  { metric, format }: Pick<MetricResult, 'metric' | 'format'>,
): Pick<GoalOutcome, 'isPerVisitor' | 'measured'> => ({
  isPerVisitor: metric.endsWith('-per-visitor') && format !== 'percent',
  measured: { by: kind === 'quantile' ? 'values' : 'reached', withinDays },
});

function guardrailOutcome(
  comparison: GoalComparison,
  index: number,
  input: ReportInput,
  { metrics }: ComparedCounts,
): GuardrailOutcome {
  const measured = metrics.now.get(comparison.goal.id);
  return {
    ...outcomeOf(comparison, index),
    maxHarm: maxHarmOf(comparison.goal, input),
    ...(measured && { visitors: measured[0]!.complete + measured[index]!.complete }),
  };
}

const activeWeight = (variations: readonly ReportVariation[]) =>
  variations.reduce((sum, { weight, retired }) => (retired ? sum : sum + weight), 0);

/**
 * What is left of a plan when variations are retired: the others need as many visitors as before. So their share of the
 * plan that is reached does not change.
 */
export function plannedFor(planned: number | null, variations: readonly ReportVariation[]): number | null {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return planned === null ? null : Math.max(1, Math.ceil((planned * activeWeight(variations)) / total));
}

/** The share of all visitors that a variation and the control get together. */
function pairShare({ variations }: ReportInput): (index: number) => number {
  const total = activeWeight(variations);
  return (index) => (variations[0]!.weight + variations[index]!.weight) / total;
}
