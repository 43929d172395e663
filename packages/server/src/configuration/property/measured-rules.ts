import type { MeasuredRuleName } from '@switchyard/core/api/results';
import type { Rule } from '@switchyard/core/api/targeting';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import type { MeasuredRule } from '@switchyard/core/lifecycle/measured-rule';
import { measuredStatus } from '@switchyard/core/lifecycle/measured-status';
import type { SplitTestStatus } from '@switchyard/core/lifecycle/status';
import { derivePerProperty, type Flag, type PropertyConfiguration } from './property-configuration.ts';

export type { MeasuredRuleName };

/** A rule that is or was measured, with what it is called in events and reports. */
export interface MeasuredRuleInPlace extends MeasuredRule {
  /** Unique, also among those of other properties and of deleted flags. */
  readonly id: string;
  /** What its exposures are stored under. */
  readonly key: string;
  readonly name: MeasuredRuleName;
  readonly flag: Flag;
  readonly rule: Rule | undefined;
  readonly status: SplitTestStatus;
}

/** All that have been measured, of all flags and environments. */
export const measuredRulesOf = derivePerProperty(({ flags }) => flags.flatMap(inFlag));

const known = new WeakMap<Flag, MeasuredRuleInPlace[]>();

/** A flag that is not changed stays the same object. */
function inFlag(flag: Flag): MeasuredRuleInPlace[] {
  const cached = known.get(flag);
  if (cached !== undefined) return cached;
  const rules = flag.configurations.flatMap((configuration) =>
    (configuration.measured ?? []).map((measured) => {
      const { ruleId } = measured;
      const name = { flagKey: flag.key, environment: configuration.environmentId, ruleId };
      return {
        ...measured,
        id: `${configuration.id}/${ruleId}`,
        key: measuredKey(name),
        name,
        flag,
        rule: configuration.rules.find(({ id }) => id === ruleId),
        status: measuredStatus(configuration, ruleId, true),
      };
    }),
  );
  known.set(flag, rules);
  return rules;
}

/** Whether exposures can have this key: of a split test, or of a measured rule. */
export const isTestKey = (property: PropertyConfiguration, key: string): boolean =>
  property.splitTests.some((test) => test.key === key) ||
  measuredRulesOf(property).some((rule) => rule.key === key);
