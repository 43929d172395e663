import type { RolloutEnd } from '@switchyard/core/lifecycle/guarded-rollout';
import type { Configuration, Environment, Flag } from '../configuration/configuration-types.ts';

/** A rollout that went back or stayed, and that nobody has changed since. */
export interface StoppedRollout {
  flag: Flag;
  environment: Environment;
  ruleId: string;
  ended: RolloutEnd;
}

/** The latest first. */
export function stoppedRollouts({
  flags,
  environments,
}: Pick<Configuration, 'flags' | 'environments'>): StoppedRollout[] {
  return flags
    .flatMap((flag) => environments.flatMap((environment) => stoppedIn(flag, environment)))
    .sort((a, b) => b.ended.at - a.ended.at);
}

export function stoppedIn(flag: Flag, environment: Environment): StoppedRollout[] {
  const { rules = [], measured = [] } = flag.environments[environment.id] ?? {};
  return measured.flatMap(({ ruleId, plan }) => {
    const rollout = rules.find(({ id }) => id === ruleId)?.rollout;
    const { ended } = plan ?? {};
    if (ended === undefined || ended.action === 'finished' || rollout?.schedule !== undefined) return [];
    return rollout?.percentage === ended.percentage ? [{ flag, environment, ruleId, ended }] : [];
  });
}
