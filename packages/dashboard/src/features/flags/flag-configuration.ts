import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import type { Flag, FlagEnvironment } from '../configuration/configuration-types.ts';

type FlagCore = Pick<Flag, 'type' | 'defaultValue' | 'environments'>;

/** The configuration of a flag in an environment, also before anybody has set it up there. */
export function configurationIn(flag: FlagCore, environmentId: string): FlagEnvironment {
  return flag.environments[environmentId] ?? newConfiguration(flag);
}

/** Off; switching on a boolean serves true to everyone. */
export function newConfiguration({
  type,
  defaultValue,
}: Pick<Flag, 'type' | 'defaultValue'>): FlagEnvironment {
  return { enabled: false, value: type === 'boolean' ? true : defaultValue, rules: [], prerequisites: [] };
}

export function withConfiguration(
  flag: Flag,
  environmentId: string,
  changes: Partial<FlagEnvironment>,
): Pick<Flag, 'environments'> {
  const configuration = { ...configurationIn(flag, environmentId), ...changes };
  return { environments: { ...flag.environments, [environmentId]: configuration } };
}

/** Serves one value to a percentage of everyone. */
export type SimpleRule = Rule & Required<Pick<Rule, 'rollout' | 'value'>>;

/**
 * The rule of a flag that is only rolled out to a percentage, which needs a slider and no list of rules; undefined if
 * there is more to it.
 */
export function simpleRollout({ rules }: Pick<FlagEnvironment, 'rules'>): SimpleRule | undefined {
  const rule = onlyRule({ rules });
  // A split has no value.
  if (rule?.rollout === undefined || rule.value === undefined) return undefined;
  return { ...rule, rollout: rule.rollout, value: rule.value };
}

/** The rule of a flag that has no other one, and that applies to everyone. */
export function onlyRule({ rules }: Pick<FlagEnvironment, 'rules'>): Rule | undefined {
  const [rule] = rules;
  const isForEveryone = rule?.enabled !== false && (rule?.conditions ?? []).length === 0;
  return rules.length === 1 && isForEveryone ? rule : undefined;
}

/** A rule for everyone; its id is not one of the given rules. */
export function newRule(rules: readonly Rule[], value: FlagValue): Rule {
  return { id: newRuleId(rules), value };
}

export function duplicateRule(rules: readonly Rule[], rule: Rule): Rule {
  const name = rule.name ? { name: `${rule.name} (copy)` } : {};
  return { ...structuredClone(rule), ...name, id: newRuleId(rules) };
}

/** Short and random: visitors are assigned to a percentage by the id of the rule. */
function newRuleId(rules: readonly Rule[]): string {
  const id = `rule-${crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36)}`;
  return rules.some((rule) => rule.id === id) ? newRuleId(rules) : id;
}
