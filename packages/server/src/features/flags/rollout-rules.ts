import type { ProvisionedFlag, ProvisionedRule } from '@switchyard/core/api/provisioning';
import type { FlagConfiguration, Rollout, Rule } from '@switchyard/core/api/targeting';
import { type GuardedRolloutPlan, resumedRollout } from '@switchyard/core/lifecycle/guarded-rollout';
import { applyDueSteps } from '@switchyard/core/lifecycle/rollout-schedule';
import { parseTime, TIME_HINT } from '../../configuration/definitions/parse-time.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { Flag } from '../../configuration/property/property-configuration.ts';

/** A flag of the file whose rollouts are resolved. */
export interface FlagEntry extends Omit<ProvisionedFlag, 'environments'> {
  environments?: Record<string, Partial<FlagConfiguration>>;
}

interface Context {
  now: number;
  report: Report;
}

/** Of the rule with an id: its rollout as it is, and what it was going to be. */
type StoredIn = (ruleId: string) => {
  rollout: Rollout | undefined;
  plan: GuardedRolloutPlan | undefined;
};

/**
 * Reads the times of the schedules. Steps that are due are made, so that a file can be applied again at any time; those
 * of a rollout with guardrails have been made, or are not made by saving.
 */
export function resolveRollouts(
  { environments, ...flag }: ProvisionedFlag,
  known: Flag | undefined,
  path: string,
  context: Context,
): FlagEntry {
  if (environments === undefined) return flag;
  const entries = Object.entries(environments).map(([environmentId, { rules, ...configuration }]) => {
    const place = `${path}/environments/${environmentId}/rules`;
    const stored = storedIn(known, environmentId);
    const resolved = rules?.map((rule, index) => resolveRule(rule, stored, `${place}/${index}`, context));
    return [environmentId, { ...configuration, ...(resolved && { rules: resolved }) }] as const;
  });
  return { ...flag, environments: Object.fromEntries(entries) };
}

function storedIn(known: Flag | undefined, environmentId: string): StoredIn {
  const configuration = known?.configurations.find((each) => each.environmentId === environmentId);
  return (ruleId) => ({
    rollout: configuration?.rules.find(({ id }) => id === ruleId)?.rollout,
    plan: configuration?.measured?.find((each) => each.ruleId === ruleId)?.plan,
  });
}

function resolveRule(
  rule: ProvisionedRule,
  storedIn: StoredIn,
  path: string,
  { now, report }: Context,
): Rule {
  const { rollout, ...rest } = rule;
  if (rollout === undefined) return rest;
  const { schedule, ...current } = rollout;
  if (schedule === undefined) return { ...rule, rollout: current };
  const steps = resolveSteps(schedule, `${path}/rollout/schedule`, report);
  const given = applyDueSteps({ ...current, schedule: steps }, now);
  const { rollout: stored, plan } = storedIn(rule.id);
  return { ...rule, rollout: resumedRollout(given, stored, plan, now) };
}

function resolveSteps(
  steps: NonNullable<NonNullable<ProvisionedRule['rollout']>['schedule']>,
  path: string,
  report: Report,
): NonNullable<Rollout['schedule']> {
  let last = -1;
  return steps.map(({ at, percentage }, index) => {
    const time = parseTime(at);
    if (time === undefined) report(`${path}/${index}/at`, TIME_HINT);
    else if (time <= last) report(`${path}/${index}/at`, 'must be after the step before it');
    last = time ?? last;
    return { at: last, percentage };
  });
}
