import type { ProvisionedFlag, ProvisionedRule } from '@switchyard/core/api/provisioning';
import type { FlagConfiguration, Rollout, Rule } from '@switchyard/core/api/targeting';
import { applyDueSteps } from '@switchyard/core/lifecycle/rollout-schedule';
import { parseTime, TIME_HINT } from '../../configuration/definitions/parse-time.ts';
import type { Report } from '../../configuration/definitions/rule-context.ts';

/** A flag of the file whose rollouts are resolved. */
export interface FlagEntry extends Omit<ProvisionedFlag, 'environments'> {
  environments?: Record<string, Partial<FlagConfiguration>>;
}

interface Context {
  now: number;
  report: Report;
}

/** Reads the times of the schedules. Steps that are due are made, so that a file can be applied again at any time. */
export function resolveRollouts(
  { environments, ...flag }: ProvisionedFlag,
  path: string,
  context: Context,
): FlagEntry {
  if (environments === undefined) return flag;
  const entries = Object.entries(environments).map(([environmentId, { rules, ...configuration }]) => {
    const place = `${path}/environments/${environmentId}/rules`;
    const resolved = rules?.map((rule, index) => resolveRule(rule, `${place}/${index}`, context));
    return [environmentId, { ...configuration, ...(resolved && { rules: resolved }) }] as const;
  });
  return { ...flag, environments: Object.fromEntries(entries) };
}

function resolveRule(rule: ProvisionedRule, path: string, { now, report }: Context): Rule {
  const { rollout, ...rest } = rule;
  if (rollout === undefined) return rest;
  const { schedule, ...current } = rollout;
  if (schedule === undefined) return { ...rule, rollout: current };
  const steps = resolveSteps(schedule, `${path}/rollout/schedule`, report);
  return { ...rule, rollout: applyDueSteps({ ...current, schedule: steps }, now) };
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
