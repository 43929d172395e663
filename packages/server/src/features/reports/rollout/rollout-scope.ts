import type { Rollout } from '@switchyard/core/api/targeting';
import { DEFAULT_WAIT_DAYS } from '@switchyard/core/lifecycle/guarded-rollout';
import type { Pause } from '@switchyard/core/lifecycle/phases';
import { DAY_MS } from '@switchyard/core/time';
import { toGuardrail } from '../../../configuration/definitions/outcome-checks.ts';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import { type PhaseScope, phaseScope } from '../report-scope.ts';
import type { ReportedTest } from '../reported-test.ts';

/** A schedule has 51 percentages at most; the others are for other changes of the rule. */
const MAX_PHASES = 100;

/** A rollout with guardrails, small enough to send to another thread. */
export interface RolloutScope {
  /** Oldest first; each with the guardrails as its only goals. */
  readonly phases: readonly PhaseScope[];
  /** Phases of the rollout that came before these. */
  readonly skippedPhases: number;
  readonly plannedPhases: number;
  readonly next: { readonly percentage: number; readonly at: number } | null;
  readonly minVisitors: number | null;
  /** Pauses of the flag or the rule prolong it. */
  readonly maxWaitDays: number;
  /** Guardrails whose goal or metric is gone. */
  readonly lostGuardrails: number;
  readonly now: number;
}

type Guarded = Pick<Rollout, 'guardrails' | 'schedule' | 'minVisitors' | 'maxWaitDays'>;

/** @param from what it began with; without it, all phases of the measured rule */
export function rolloutScope(
  property: PropertyConfiguration,
  measured: ReportedTest,
  { guardrails = [], schedule, minVisitors, maxWaitDays = DEFAULT_WAIT_DAYS }: Guarded,
  { firstPhase, plannedPhases, now }: { firstPhase: number; plannedPhases: number; now: number },
): RolloutScope {
  const test = { ...measured, goals: [], guardrails: guardrails.map(toGuardrail) };
  const all = measured.phases.filter(({ number }) => number >= firstPhase);
  const phases = all.slice(-MAX_PHASES);
  const step = schedule?.[0];
  const { startedAt = 0, pauses = [] } = phases.at(-1) ?? {};
  // It cannot have waited for longer than there has been something to wait for.
  const next = step ? { percentage: step.percentage, at: Math.max(step.at, startedAt) } : null;
  const scopes = phases.map(({ number }) => phaseScope(property, test, number, now));
  return {
    phases: scopes,
    skippedPhases: all.length - phases.length,
    plannedPhases,
    next,
    minVisitors: minVisitors ?? null,
    maxWaitDays: maxWaitDays + (next ? pausedDays(pauses, next.at, now) : 0),
    lostGuardrails: guardrails.length - (scopes[0]?.goals.length ?? guardrails.length),
    now,
  };
}

const pausedDays = (pauses: readonly Pause[], from: number, to: number): number =>
  pauses.reduce(
    (sum, pause) => sum + Math.max(0, Math.min(pause.to ?? to, to) - Math.max(pause.from, from)),
    0,
  ) / DAY_MS;
