import { decidingMetric, directionOf, effectOf } from './effect.ts';
import type { ComparisonState } from './goal-comparison.tsx';
import type { GoalResult, Results, VariationResult } from './results-types.ts';

type StateOf = (result: VariationResult) => ComparisonState;

const NOT_RELIABLE: ComparisonState = { label: 'Not reliable', tone: 'warn' };
const TOO_EARLY: ComparisonState = { label: 'Too early', tone: 'dimmed', isEarly: true };

/** What keeps a goal from being judged at all; undefined if nothing does. */
export function cautionOf({ health, verdict }: Results): ComparisonState | undefined {
  if (!health.healthy) return NOT_RELIABLE;
  return verdict?.decision === 'collecting' ? TOO_EARLY : undefined;
}

/** Whether a variation harms a guardrail. The same rule as the verdict has: fine, unless it got significantly worse. */
export function guardrailStates(goal: GoalResult, results: Results): StateOf {
  const caution = cautionOf(results);
  const isOpen = results.phase?.endedAt === null;
  const decisions = new Map(results.verdicts.map((it) => [it.variation, it.decision]));
  return (result) => {
    // Harm is reported from the first day on.
    const isHarmed = directionOf(goal, result, results.method.alpha) === 'worse';
    if (isHarmed) return { label: 'Not fine', tone: 'bad' };
    if (caution) return caution;
    const effect = effectOf(decidingMetric(goal), result);
    if (effect === null || (effect.low === null && effect.high === null)) return TOO_EARLY;
    const isSoFar = isOpen && decisions.get(result.key) === 'keep-going';
    return { label: isSoFar ? 'Fine so far' : 'Fine', tone: 'good' };
  };
}

const RANK = ['bad', 'warn', 'dimmed', 'good'] as const;

/** The worst state of all variations. */
export function worstState(goal: GoalResult, stateOf: StateOf): ComparisonState {
  const states = decidingMetric(goal).variations.slice(1).map(stateOf);
  return states.toSorted((a, b) => RANK.indexOf(a.tone) - RANK.indexOf(b.tone))[0] ?? TOO_EARLY;
}
