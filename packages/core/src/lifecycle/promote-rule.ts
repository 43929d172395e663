import type { Rule } from '../api/targeting.ts';
import { measuredVariations, OFF, ON } from '../evaluation/measured-rules.ts';
import { withoutGuardrails } from './guarded-rollout.ts';

/**
 * A measured rule that gives everybody who matches what one of its variations had, and is not measured any more. Undefined
 * if it has no such variation.
 */
export function promotedRule(rule: Rule, variant: string): Rule | undefined {
  const index = measuredVariations(rule).findIndex(({ key }) => key === variant);
  if (index < 0) return undefined;
  const { measure: _measure, rollout, split, value, ...rest } = rule;
  if (split !== undefined) return { ...rest, value: split[index]!.value };
  if (value === undefined) return undefined;
  if (variant === ON) return { ...rest, value };
  const draw = withoutGuardrails(rollout ?? { percentage: 0 });
  return variant === OFF ? { ...rest, rollout: { ...draw, percentage: 0 }, value } : undefined;
}
