import { DEFAULT_ALPHA } from '../alpha.ts';
import type { MethodSettings } from '../analysis.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialCritical } from '../sequential.ts';
import type { Traffic } from './forecast-paths.ts';
import { directionOf, type GoalOutcome, improvementOf, isRelative } from './goal-outcome.ts';

/** The relative harm that a guardrail must exclude if neither it nor the smallest effect of the test says otherwise. */
export const DEFAULT_MAX_HARM = 0.05;
/** A guardrail that takes longer is not in sight. */
const MAX_DAYS = 182;

/**
 * `harmed`: it got worse, beyond chance. `safe`: harm beyond the margin is excluded. `open`: not enough data for either.
 */
export type GuardrailState = 'harmed' | 'safe' | 'open';

/** A goal that must not get worse by more than `maxHarm`, relative to the control. */
export interface GuardrailOutcome extends GoalOutcome {
  readonly maxHarm: number;
  /** Of a metric: those of the variation and the control whose window is over; default: all visitors. */
  readonly visitors?: number | undefined;
}

export interface Guardrail extends GuardrailOutcome {
  readonly state: GuardrailState;
  /** Likely full days until an open guardrail is safe, if it stays as it is; null if that is not in sight, or not open. */
  readonly daysLeft: number | null;
}

interface Situation extends MethodSettings {
  /** Of the variation and the control. */
  readonly visitors: number;
  readonly traffic?: Traffic | undefined;
}

export function judgeGuardrail(goal: GuardrailOutcome, situation: Situation): Guardrail {
  const state = stateOf(goal, situation);
  return { ...goal, state, daysLeft: state === 'open' ? daysUntilSafe(goal, situation) : null };
}

function stateOf(goal: GuardrailOutcome, settings: MethodSettings): GuardrailState {
  const low = isRelative(goal) ? improvementOf(goal, 'relative')!.low : null;
  // A small harm may be certain and still be within the margin.
  if (low !== null && low > -goal.maxHarm) return 'safe';
  return directionOf(goal, settings) === 'worse' ? 'harmed' : 'open';
}

function daysUntilSafe(goal: GuardrailOutcome, situation: Situation): number | null {
  const { traffic, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N } = situation;
  const { visitors = situation.visitors } = goal;
  const { standardError } = goal.comparison;
  if (!isRelative(goal) || standardError === null || !traffic || !(traffic.dailyVisitors > 0)) return null;
  const room = improvementOf(goal, 'relative')!.estimate + goal.maxHarm;
  const error = standardError / goal.control!;
  for (let day = 1; day <= MAX_DAYS; day++) {
    const total = visitors + day * traffic.dailyVisitors;
    if (sequentialCritical(total, alpha, sequentialN) * error * Math.sqrt(visitors / total) < room)
      return day;
  }
  return null;
}

/** The state of a guardrail for several variations: the worst one. */
export function worstState(states: readonly GuardrailState[]): GuardrailState {
  if (states.includes('harmed')) return 'harmed';
  return states.length > 0 && states.every((state) => state === 'safe') ? 'safe' : 'open';
}
