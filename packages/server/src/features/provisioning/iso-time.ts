import type { ProvisionedFlagConfiguration, ProvisionedRule } from '@switchyard/core/api/provisioning';
import type { Rule } from '@switchyard/core/api/targeting';
import type { Flag, SplitTest } from '../../storage/property-configuration.ts';

const isoTime = (time: number) => new Date(time).toISOString();

/** The times of a split test, as in a file. */
export function isoTimes({ startAt, stopAt, decision }: Pick<SplitTest, 'startAt' | 'stopAt' | 'decision'>) {
  return {
    startAt: startAt === null ? null : isoTime(startAt),
    stopAt: stopAt === null ? null : isoTime(stopAt),
    decision: decision && { ...decision, decidedAt: isoTime(decision.decidedAt) },
  };
}

/** The configurations of a flag by environment, as in a file. */
export function isoSchedules({ configurations }: Flag): Record<string, ProvisionedFlagConfiguration> {
  const entries = configurations.map(({ environmentId, enabled, value, rules, prerequisites }) => {
    return [environmentId, { enabled, value, rules: rules.map(isoRule), prerequisites }] as const;
  });
  return Object.fromEntries(entries);
}

function isoRule(rule: Rule): ProvisionedRule {
  const schedule = rule.rollout?.schedule?.map(({ at, ...step }) => ({ at: isoTime(at), ...step }));
  return schedule === undefined ? rule : { ...rule, rollout: { ...rule.rollout!, schedule } };
}
