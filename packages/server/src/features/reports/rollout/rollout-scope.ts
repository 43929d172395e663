import type { Rollout } from '@switchyard/core/api/targeting';
import { DEFAULT_WAIT_DAYS } from '@switchyard/core/lifecycle/guarded-rollout';
import { toGuardrail } from '../../../configuration/definitions/outcome-checks.ts';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import { type PhaseScope, phaseScope } from '../report-scope.ts';
import type { ReportedTest } from '../reported-test.ts';

/** More than a schedule has steps. */
const MAX_PHASES = 50;

/** A rollout with guardrails, small enough to send to another thread. */
export interface RolloutScope {
  /** Oldest first; each with the guardrails as its only goals. */
  readonly phases: readonly PhaseScope[];
  readonly plannedPhases: number;
  readonly next: { readonly percentage: number; readonly at: number } | null;
  readonly minVisitors: number | null;
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
  const phases = measured.phases.filter(({ number }) => number >= firstPhase).slice(-MAX_PHASES);
  const step = schedule?.[0];
  const { startedAt = 0, pauses = [] } = phases.at(-1) ?? {};
  const resumedAt = pauses.at(-1)?.to ?? 0;
  const scopes = phases.map(({ number }) => phaseScope(property, test, number, now));
  return {
    phases: scopes,
    plannedPhases,
    // It cannot have waited for longer than there has been something to wait for.
    next: step ? { percentage: step.percentage, at: Math.max(step.at, startedAt, resumedAt) } : null,
    minVisitors: minVisitors ?? null,
    maxWaitDays,
    lostGuardrails: guardrails.length - (scopes[0]?.goals.length ?? guardrails.length),
    now,
  };
}
