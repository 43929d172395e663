import type { ProvisionedFlagConfiguration, ProvisionedRule } from '@switchyard/core/api/provisioning';
import type { FlagConfiguration, Rule } from '@switchyard/core/api/targeting';
import type { SplitTest } from '../../storage/property-configuration.ts';

const isoTime = (time: number) => new Date(time).toISOString();

/** The times of a split test, as in a file. */
export function isoTimes({ startAt, stopAt, decision }: Pick<SplitTest, 'startAt' | 'stopAt' | 'decision'>) {
  return {
    startAt: startAt === null ? null : isoTime(startAt),
    stopAt: stopAt === null ? null : isoTime(stopAt),
    decision: decision && { ...decision, decidedAt: isoTime(decision.decidedAt) },
  };
}

/** The configurations of a flag by environment, with the times of their rollouts as in a file. */
export function isoSchedules(
  configurations: Readonly<Record<string, FlagConfiguration>>,
): Record<string, ProvisionedFlagConfiguration> {
  const entries = Object.entries(configurations).map(([environmentId, configuration]) => {
    return [environmentId, { ...configuration, rules: configuration.rules.map(isoRule) }] as const;
  });
  return Object.fromEntries(entries);
}

function isoRule(rule: Rule): ProvisionedRule {
  const schedule = rule.rollout?.schedule?.map(({ at, ...step }) => ({ at: isoTime(at), ...step }));
  return schedule === undefined
    ? (rule as ProvisionedRule)
    : { ...rule, rollout: { ...rule.rollout!, schedule } };
}
