import { applyDueSteps, nextStepAt } from '@switchyard/core/lifecycle/rollout-schedule';
import { SYSTEM } from '../../configuration/property/actor.ts';
import {
  derivePerProperty,
  type EnvironmentFlagConfiguration,
  type Flag,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';

export interface ScheduledRollout {
  propertyId: string;
  flagKey: string;
}

/** Changes the percentages of rollouts whose steps are due. */
export async function runRollouts(
  writer: ConfigurationWriter,
  properties: readonly PropertyConfiguration[],
  now: number,
): Promise<ScheduledRollout[]> {
  const changes: ScheduledRollout[] = [];
  for (const property of properties) {
    if (nextStep(property) > now) continue;
    const { changes: items } = await writer.changeProperty(
      property.id,
      { actor: SYSTEM, via: 'schedule' },
      ({ current }) => current && { ...current, flags: current.flags.map((flag) => takeSteps(flag, now)) },
    );
    for (const { type, key } of items) {
      if (type === 'flag') changes.push({ propertyId: property.id, flagKey: key });
    }
  }
  return changes;
}

/** The time of the next step, which makes most runs of the schedule cheap. */
const nextStep = derivePerProperty(({ flags }) =>
  Math.min(...flags.flatMap(({ configurations }) => configurations.map(({ rules }) => nextStepAt(rules)))),
);

/** The same object if no step is due. */
function takeSteps(flag: Flag, now: number): Flag {
  const configurations = flag.configurations.map((configuration): EnvironmentFlagConfiguration => {
    if (nextStepAt(configuration.rules) > now) return configuration;
    const rules = configuration.rules.map((rule) => {
      return rule.rollout === undefined ? rule : { ...rule, rollout: applyDueSteps(rule.rollout, now) };
    });
    return { ...configuration, rules };
  });
  const isChanged = configurations.some((each, index) => each !== flag.configurations[index]);
  return isChanged ? { ...flag, configurations } : flag;
}
