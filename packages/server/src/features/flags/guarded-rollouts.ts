import type { Rollout, Rule } from '@switchyard/core/api/targeting';
import type { GuardedRolloutPlan } from '@switchyard/core/lifecycle/guarded-rollout';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import type { MeasuredRuleName } from '../../configuration/property/measured-rules.ts';
import {
  derivePerProperty,
  type EnvironmentFlagConfiguration,
  type Flag,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';

/** A rollout with guardrails that is served. */
export interface GuardedPlace {
  readonly property: PropertyConfiguration;
  readonly flag: Flag;
  readonly rule: Rule;
  readonly rollout: Rollout;
  readonly name: MeasuredRuleName;
  readonly key: string;
  /** Undefined until there is somebody to compare: at 0 %. */
  readonly plan: GuardedRolloutPlan | undefined;
}

const inProperty = derivePerProperty((property): GuardedPlace[] =>
  property.flags.flatMap((flag) =>
    flag.configurations.flatMap((configuration) =>
      configuration.enabled
        ? configuration.rules.flatMap((rule) => placeOf(property, flag, configuration, rule))
        : [],
    ),
  ),
);

export const guardedRollouts = (properties: readonly PropertyConfiguration[]): GuardedPlace[] =>
  properties.flatMap(inProperty);

function placeOf(
  property: PropertyConfiguration,
  flag: Flag,
  { environmentId, measured = [] }: EnvironmentFlagConfiguration,
  rule: Rule,
): GuardedPlace[] {
  const { rollout } = rule;
  if (rollout?.guardrails === undefined || rule.enabled === false) return [];
  const name = { flagKey: flag.key, environment: environmentId, ruleId: rule.id };
  const { plan } = measured.find(({ ruleId }) => ruleId === rule.id) ?? {};
  return [{ property, flag, rule, rollout, name, key: measuredKey(name), plan }];
}
