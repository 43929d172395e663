import type { ProvisionedRule } from '@switchyard/core/api/provisioning';
import type { Rule } from '@switchyard/core/api/targeting';

/** The times of a rule as in a provision file. */
export function isoRule(rule: Rule): ProvisionedRule {
  const { rollout } = rule;
  if (rollout?.schedule === undefined) return rule;
  const schedule = rollout.schedule.map(({ at, ...step }) => ({ at: new Date(at).toISOString(), ...step }));
  return { ...rule, rollout: { ...rollout, schedule } };
}
