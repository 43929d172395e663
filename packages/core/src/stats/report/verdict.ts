import { DEFAULT_ALPHA } from '../alpha.ts';
import type { MethodSettings } from '../analysis.ts';
import { type Interval, isWithin } from '../comparison.ts';
import { fractionOf } from '../group-sequential/compare.ts';
import { futilityBoundary } from '../group-sequential/futility.ts';
import type { SmallestEffect } from '../planner.ts';
import { DEFAULT_CURRENCY } from '../words/numbers.ts';
import { describeVerdict, type VerdictSentences } from '../words/verdict-words.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import type { Traffic } from './forecast-paths.ts';
import { directionOf, type GoalOutcome, improvementOf, isRelative } from './goal-outcome.ts';
import { type Guardrail, type GuardrailOutcome, judgeGuardrail } from './guardrails.ts';
import type { HealthProblem } from './health.ts';
import type { Decision, VerdictFacts } from './verdict-facts.ts';

export interface VerdictInput extends MethodSettings {
  readonly variation: string;
  /** From `checkHealth`; any problem prevents a winner. */
  readonly problems: readonly HealthProblem[];
  readonly collecting?: VerdictFacts['collecting'] | undefined;
  readonly primary: GoalOutcome;
  /** If the primary goal is a metric: visitors of the test whose window is not over. */
  readonly pending?: number | undefined;
  /** Goals that must not get worse. */
  readonly guardrails?: readonly GuardrailOutcome[] | undefined;
  /** Whether a variation can ship while a guardrail is open; default: false. */
  readonly shipWithOpenGuardrails?: boolean | undefined;
  /** Of this variation and the control until now, if `visitors` are those at the planned end; default: `visitors`. */
  readonly visitorsNow?: number | undefined;
  /** Of the primary goal. */
  readonly smallestEffect?: SmallestEffect | null | undefined;
  /** Of this variation and the control. */
  readonly visitors: number;
  /** New `visitors` per day. */
  readonly traffic?: Traffic | undefined;
  /** Planned number of `visitors`. */
  readonly plannedVisitors?: number | undefined;
  /** Number of comparisons that p-values are corrected for; default: 1. */
  readonly comparisons?: number | undefined;
  /** The phase has ended. */
  readonly isOver?: boolean | undefined;
  /** The test has a phase; default: true. */
  readonly hasStarted?: boolean | undefined;
  /** Number of variations, including the control; default: 2. */
  readonly variations?: number | undefined;
  /** Code of the currency that amounts are shown in; default: USD. */
  readonly currency?: string | undefined;
}

export interface Verdict extends VerdictFacts {
  /** For readers without knowledge of statistics: the sentences as one text. */
  readonly words: string;
  readonly sentences: VerdictSentences;
}

/** Decides what to do with one variation. */
export function decideVerdict(input: VerdictInput): Verdict {
  const { variation, primary, problems, visitors, plannedVisitors = null } = input;
  const smallestEffect = input.smallestEffect ?? null;
  const situation = { ...input, visitors: input.visitorsNow ?? visitors };
  const guardrails = (input.guardrails ?? []).map((goal) => judgeGuardrail(goal, situation));
  const unit = smallestEffect?.kind ?? (isRelative(primary) ? 'relative' : 'absolute');
  const improvement = improvementOf(primary, unit);
  const { decision, reason } = decide(input, improvement, guardrails);
  const forecast = decision === 'keep-going' && reason !== 'open-guardrail' ? forecastFor(input) : null;
  const collecting = decision === 'collecting' ? input.collecting! : null;
  const facts = {
    decision,
    reason,
    variation,
    improvement,
    unit,
    primary,
    guardrails,
    problems,
    collecting,
    smallestEffect,
    visitors,
    ...(input.pending !== undefined && { pending: input.pending }),
    plannedVisitors,
    forecast,
    daysLeft:
      reason === 'open-guardrail'
        ? daysUntilClosed(guardrails)
        : (collecting?.days ?? forecast?.median ?? null),
  };
  const { isOver = false, hasStarted = true, variations = 2, currency = DEFAULT_CURRENCY } = input;
  const sentences = describeVerdict(facts, { isOver, hasStarted, variations, currency });
  return { ...facts, sentences, words: Object.values(sentences).filter(Boolean).join(' ') };
}

/** When the last open guardrail is likely to be safe; null if that is not in sight. */
function daysUntilClosed(guardrails: readonly Guardrail[]): number | null {
  const days = guardrails.filter(({ state }) => state === 'open').map(({ daysLeft }) => daysLeft);
  return days.some((it) => it === null) ? null : Math.max(...(days as number[]));
}

/** The verdict on a whole test: the best variation that can ship, otherwise the next one in `order`. */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict | null {
  const order: readonly Decision[] = [
    'unhealthy',
    'collecting',
    'ship',
    'keep-going',
    'no-difference',
    'roll-back',
  ];
  const gain = ({ improvement }: Verdict) => improvement?.estimate ?? -Infinity;
  const ranked = verdicts.toSorted(
    (a, b) => order.indexOf(a.decision) - order.indexOf(b.decision) || gain(b) - gain(a),
  );
  return ranked[0] ?? null;
}

type Decided = Pick<VerdictFacts, 'decision' | 'reason'>;

function decide(
  input: VerdictInput,
  improvement: Interval | null,
  guardrails: readonly Guardrail[],
): Decided {
  const { problems, primary, smallestEffect } = input;
  if (problems.length > 0) return { decision: 'unhealthy', reason: null };
  // Harm leads to an immediate roll-back, even before a fixed horizon: a false alarm costs little.
  if (guardrails.some(({ state }) => state === 'harmed'))
    return { decision: 'roll-back', reason: 'guardrail' };
  if (input.collecting) return { decision: 'collecting', reason: null };
  const isPlannedEnd = input.plannedVisitors !== undefined && input.visitors >= input.plannedVisitors;
  const isFixed = input.method === 'frequentist' && input.plannedVisitors !== undefined;
  if (isFixed && !isPlannedEnd && !input.isOver) {
    return { decision: 'keep-going', reason: 'before-planned-end' };
  }
  if (smallestEffect != null && isWithin(improvement, Math.abs(smallestEffect.value))) {
    return { decision: 'no-difference', reason: 'within-smallest-effect' };
  }
  const direction = directionOf(primary, input);
  if (direction === 'worse') return { decision: 'roll-back', reason: 'primary' };
  if (direction === 'better') {
    const isBlocked = !input.shipWithOpenGuardrails && guardrails.some(({ state }) => state === 'open');
    return isBlocked
      ? { decision: 'keep-going', reason: 'open-guardrail' }
      : { decision: 'ship', reason: 'primary' };
  }
  // An effect that is not significant at the planned end is smaller than the planned one.
  const hasPlan = input.method === 'frequentist' || input.method === 'group-sequential';
  if (hasPlan && isPlannedEnd) return { decision: 'no-difference', reason: 'planned-end' };
  if (!input.isOver && isFutile(input)) return { decision: 'no-difference', reason: 'futility' };
  return { decision: 'keep-going', reason: 'not-significant' };
}

/** The smallest relevant difference, in the unit of the metric. */
function smallestDifference({ smallestEffect, primary }: VerdictInput): number | null {
  if (smallestEffect == null) return null;
  const { kind, value } = smallestEffect;
  const difference = Math.abs(kind === 'absolute' ? value : value * (primary.control ?? 0));
  return difference > 0 ? difference : null;
}

function isFutile(input: VerdictInput): boolean {
  const { method, looks, alpha = DEFAULT_ALPHA, primary } = input;
  const { absolute, standardError } = primary.comparison;
  if (method !== 'group-sequential' || !looks || absolute === null || standardError === null) return false;
  const smallest = smallestDifference(input);
  const fraction = fractionOf(looks);
  const drift = smallest === null ? undefined : smallest / (standardError * Math.sqrt(fraction));
  return Math.abs(absolute.estimate) / standardError < futilityBoundary(fraction, alpha, drift);
}

function forecastFor(input: VerdictInput): Forecast | null {
  const { primary, traffic, visitors, plannedVisitors = null, isOver, method } = input;
  const { absolute, standardError } = primary.comparison;
  if (isOver || !traffic || absolute === null || standardError === null) return null;
  const { alpha = DEFAULT_ALPHA, comparisons = 1 } = input;
  const hasPlan = method === 'frequentist' || method === 'group-sequential';
  return forecastOf({
    ...input,
    // The correction for several comparisons requires smaller p-values.
    alpha: alpha / comparisons,
    difference: absolute.estimate,
    standardError,
    controlMean: primary.control ?? 0,
    visitors,
    traffic,
    plannedVisitors: hasPlan ? plannedVisitors : null,
    smallestDifference: smallestDifference(input),
  });
}
