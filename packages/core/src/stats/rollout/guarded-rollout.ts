import { DAY_MS } from '../../time.ts';
import { type GuardrailEffects, NO_EFFECTS_YET } from './phase-effect.ts';
import {
  type EvidenceSource,
  evidenceOfHarm,
  evidenceOfSafety,
  improvementIn,
  newcomersOf,
  PROVEN,
  phaseAlone,
} from './rollout-evidence.ts';

export interface RolloutGuardrail {
  readonly id: string;
  /** The relative harm that is accepted. */
  readonly maxHarm: number;
}

/** A period with one percentage. */
export interface RolloutPhase {
  readonly percentage: number;
  /** Visitors inside the rollout in this phase, also those who were outside before. */
  readonly visitorsInside: number;
  /** False if the split is wrong, or visitors are mixed. */
  readonly isComparable: boolean;
  /** In the order of the guardrails. */
  readonly effects: readonly GuardrailEffects[];
}

export interface GuardedRollout {
  readonly guardrails: readonly RolloutGuardrail[];
  /** Oldest first; the last one is the present one. */
  readonly phases: readonly RolloutPhase[];
  /** Phases of this rollout that came before these. */
  readonly skippedPhases: number;
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
 * keep the share of a source.
 */
function harmedGuardrails(rollout: GuardedRollout): string[] {
  const { guardrails, phases } = rollout;
  const clearest = new Map<string, number>();
  for (const sourceOf of [newcomers, ...phases.slice(firstAlone(rollout)).map((phase) => alone(phase))]) {
    const found = guardrails.map(({ id, maxHarm }, at) => ({
      id,
      evidence: evidenceOfHarm(sourceOf(rollout, at), maxHarm),
    }));
    const average = found.reduce((sum, { evidence }) => sum + evidence, 0) / Math.max(1, found.length);
    if (!(average >= PROVEN)) continue;
    for (const { id, evidence } of found.filter((it) => it.evidence >= PROVEN))
      clearest.set(id, Math.max(evidence, clearest.get(id) ?? 0));
  }
  return [...clearest].toSorted(([, a], [, b]) => (a < b ? 1 : -1)).map(([id]) => id);
}

/** Of a guardrail. */
type SourceOf = (rollout: GuardedRollout, guardrail: number) => EvidenceSource;

const newcomers: SourceOf = ({ phases }, guardrail) =>
  newcomersOf(phases.map((phase) => effectsIn(phase, guardrail)));

const alone =
  (phase: RolloutPhase): SourceOf =>
  ({ phases, skippedPhases, plannedPhases }, guardrail) =>
    phaseAlone(effectsIn(phase, guardrail), skippedPhases + phases.indexOf(phase), plannedPhases);

/** In the first phase, all visitors are newcomers. */
const firstAlone = ({ skippedPhases }: GuardedRollout) => (skippedPhases === 0 ? 1 : 0);

/** A phase in which visitors could not be compared says nothing. */
const effectsIn = ({ isComparable, effects }: RolloutPhase, guardrail: number): GuardrailEffects =>
  isComparable ? effects[guardrail]! : NO_EFFECTS_YET;

function missingEvidence(rollout: GuardedRollout): 'none' | 'margins' | 'not-enough-data' {
  const { guardrails, phases, minVisitors } = rollout;
  if (guardrails.every((_, at) => isSafe(rollout, at))) return 'none';
  const hasEnough = minVisitors !== null && phases.at(-1)!.visitorsInside >= minVisitors;
  return hasEnough ? 'margins' : 'not-enough-data';
}

/**
 * Harm beyond the margin is excluded: by the present phase itself, or by all people that came so far, if the present
 * phase does not look like it either.
 */
function isSafe(rollout: GuardedRollout, at: number): boolean {
  const { maxHarm } = rollout.guardrails[at]!;
  const present = alone(rollout.phases.at(-1)!)(rollout, at);
  const improvement = improvementIn(present);
  if (improvement === null || improvement <= -maxHarm) return false;
  return [present, newcomers(rollout, at)].some((source) => evidenceOfSafety(source, maxHarm) >= PROVEN);
}

/** By the data of its own phase: what was harmful from the start is not safe with fewer visitors either. */
function lastSafePercentage(rollout: GuardedRollout): number {
  const { phases, guardrails } = rollout;
  const present = phases.at(-1)!;
  const safe = phases
    .slice(0, -1)
    .findLast(
      (phase) =>
        phase.percentage < present.percentage &&
        guardrails.every(({ maxHarm }, at) => evidenceOfSafety(alone(phase)(rollout, at), maxHarm) >= PROVEN),
    );
  return safe?.percentage ?? 0;
}
