import { DAY_MS } from '../../time.ts';
import type { PhaseEffect } from './phase-effect.ts';
import { evidenceOfHarm, evidenceOfSafety, PROVEN } from './rollout-evidence.ts';

export interface RolloutGuardrail {
  readonly id: string;
  /** The relative harm that is accepted. */
  readonly maxHarm: number;
}

/** A period with one percentage. */
export interface RolloutPhase {
  readonly percentage: number;
  /** Visitors inside the rollout in this phase. */
  readonly visitorsInside: number;
  /** False if the split is wrong, or visitors are mixed. */
  readonly isComparable: boolean;
  /** In the order of the guardrails. */
  readonly effects: readonly PhaseEffect[];
}

export interface GuardedRollout {
  readonly guardrails: readonly RolloutGuardrail[];
  /** Oldest first; the last one is the present one. */
  readonly phases: readonly RolloutPhase[];
  /** When the rollout began: the number of percentages it was going to have. It must not change on the way. */
  readonly plannedPhases: number;
  /** The next step; null at the last percentage. */
  readonly next: { readonly percentage: number; readonly at: number } | null;
  /** With this many visitors inside, and no harm proven, the step is made; null: only if harm beyond the margins is excluded. */
  readonly minVisitors: number | null;
  /** How long a step may wait for enough data; then the rollout stays where it is until somebody decides. */
  readonly maxWaitDays: number;
}

export type RolloutDecision =
  /** `safe`: harm beyond the margins is excluded. */
  | { readonly action: 'go'; readonly percentage: number; readonly reason: 'safe' | 'enough-visitors' }
  | {
      readonly action: 'wait';
      readonly reason: 'not-due' | 'last-step' | 'not-enough-data' | 'not-comparable';
    }
  /** It has waited for as long as it may. */
  | { readonly action: 'stay'; readonly reason: 'not-enough-data' | 'not-comparable' }
  | {
      readonly action: 'roll-back';
      /** The last one that was proven safe; otherwise 0. */
      readonly percentage: number;
      /** Guardrails that got worse, the clearest first. */
      readonly harmed: readonly string[];
    };

/** What to do with a rollout now. It may be asked as often as one likes. */
export function decideRollout(rollout: GuardedRollout, now: number): RolloutDecision {
  const { next, phases, maxWaitDays } = rollout;
  const present = phases.at(-1)!;
  const harmed = harmedGuardrails(rollout);
  if (harmed.length > 0) return { action: 'roll-back', percentage: lastSafePercentage(rollout), harmed };
  if (next === null) return { action: 'wait', reason: 'last-step' };
  if (now < next.at) return { action: 'wait', reason: 'not-due' };
  const missing = present.isComparable ? missingEvidence(rollout) : 'not-comparable';
  if (missing === 'none' || missing === 'margins') {
    const reason = missing === 'none' ? 'safe' : 'enough-visitors';
    return { action: 'go', percentage: next.percentage, reason };
  }
  const isOverdue = now - next.at >= maxWaitDays * DAY_MS;
  return { action: isOverdue ? 'stay' : 'wait', reason: missing };
}

/**
 * None unless harm is proven. The average of the evidence of all guardrails is evidence too, so that all of them together
 * keep the error rate.
 */
function harmedGuardrails(rollout: GuardedRollout): string[] {
  const { guardrails, plannedPhases } = rollout;
  const found = guardrails.map(({ id, maxHarm }, at) => ({
    id,
    evidence: evidenceOfHarm(comparableEffects(rollout, at), plannedPhases, maxHarm),
  }));
  const average = found.reduce((sum, { evidence }) => sum + evidence, 0) / Math.max(1, found.length);
  if (!(average >= PROVEN)) return [];
  return found
    .filter(({ evidence }) => evidence >= PROVEN)
    .toSorted((a, b) => (a.evidence < b.evidence ? 1 : -1))
    .map(({ id }) => id);
}

function missingEvidence(rollout: GuardedRollout): 'none' | 'margins' | 'not-enough-data' {
  const { guardrails, phases, minVisitors } = rollout;
  if (guardrails.every((_, at) => isSafe(rollout, at))) return 'none';
  const hasEnough = minVisitors !== null && phases.at(-1)!.visitorsInside >= minVisitors;
  return hasEnough ? 'margins' : 'not-enough-data';
}

/** Harm beyond the margin is excluded, and the present phase does not look like it either. */
function isSafe(rollout: GuardedRollout, at: number): boolean {
  const { maxHarm } = rollout.guardrails[at]!;
  const effects = comparableEffects(rollout, at);
  const { improvement } = effects.at(-1)!;
  const looksGood = improvement !== null && improvement > -maxHarm;
  return looksGood && evidenceOfSafety(effects, rollout.plannedPhases, maxHarm) >= PROVEN;
}

/** A phase in which visitors could not be compared says nothing. */
const comparableEffects = ({ phases }: GuardedRollout, at: number): PhaseEffect[] =>
  phases.map(({ isComparable, effects }) =>
    isComparable ? effects[at]! : { improvement: null, standardError: null },
  );

/** By the data of its own phase: what was harmful from the start is not safe with fewer visitors either. */
function lastSafePercentage({ phases, guardrails }: GuardedRollout): number {
  const present = phases.at(-1)!;
  const safe = phases
    .slice(0, -1)
    .findLast(
      ({ percentage, isComparable, effects }) =>
        isComparable &&
        percentage < present.percentage &&
        guardrails.every(({ maxHarm }, at) => evidenceOfSafety([effects[at]!], 1, maxHarm) >= PROVEN),
    );
  return safe?.percentage ?? 0;
}
