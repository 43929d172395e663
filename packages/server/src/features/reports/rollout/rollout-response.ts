import type { MeasuredRuleName } from '@switchyard/core/api/results';
import type { GuardedRollout } from '@switchyard/core/api/results/guarded-rollouts';
import type { RolloutEnd } from '@switchyard/core/lifecycle/guarded-rollout';
import type { RolloutLook } from './rollout-look.ts';
import type { RolloutScope } from './rollout-scope.ts';

/** What the configuration says about a rollout. */
export interface ConfiguredRollout {
  readonly measuredRule: MeasuredRuleName;
  readonly dryRun: boolean;
  readonly percentage: number;
  /** Whether flag and rule are on. */
  readonly isOn: boolean;
  readonly isGuarded: boolean;
  readonly ended: RolloutEnd | undefined;
}

export function rolloutResponse(
  { measuredRule, dryRun, percentage, isOn, isGuarded, ended }: ConfiguredRollout,
  { next, now }: Pick<RolloutScope, 'next' | 'now'>,
  { decision, words, phases, asOf }: RolloutLook,
): GuardedRollout {
  const isDue = next !== null && next.at <= now;
  const isAsEnded = ended !== undefined && ended.percentage === percentage && next === null;
  const state = isAsEnded
    ? ended.action
    : !isGuarded
      ? 'changed'
      : !isOn
        ? 'off'
        : isDue && decision.action !== 'go'
          ? 'waiting'
          : 'running';
  return {
    measuredRule,
    dryRun,
    state,
    words: isAsEnded && !dryRun ? ended.words : words,
    percentage,
    next: isGuarded ? next : null,
    waitsSince: state === 'waiting' ? next!.at : null,
    endedAt: isAsEnded ? ended.at : null,
    asOf,
    phases,
  };
}
