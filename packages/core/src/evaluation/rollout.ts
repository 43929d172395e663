import type { RolloutStepResult } from '../api/explanations.ts';
import type { Rule } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import type { ContextTest } from './conditions.ts';
import { hashFractionAfter } from './hash.ts';
import { AttributeReaders, UNITS } from './once-per-pass.ts';

/** Whether a context is within the percentage; without an id, only if the percentage is 100. */
export function compileRollout(
  flagKey: string,
  ruleId: string,
  rollout: NonNullable<Rule['rollout']>,
  attributes: AttributeReaders,
): ContextTest {
  const { percentage, by, salt = ruleId } = rollout;
  if (percentage >= 100) return () => true;
  const readUnit = attributes.unit(by);
  const draw = hashFractionAfter(`${flagKey}:${salt}:`);
  return (context) => {
    const unit = readUnit(context);
    return unit !== undefined && draw(unit) * 100 < percentage;
  };
}

/** How `compileRollout` decides. */
export function explainRollout(
  flagKey: string,
  ruleId: string,
  rollout: NonNullable<Rule['rollout']>,
  context: Context,
): RolloutStepResult {
  const { percentage, by, salt = ruleId } = rollout;
  const attributes = new AttributeReaders({ id: 0 });
  const unitOf = (name: string | undefined) => attributes.unit(name)(context);
  const candidates = by === undefined ? UNITS : [by];
  const attribute = candidates.find((each) => unitOf(each) !== undefined) ?? null;
  const unit = unitOf(by) ?? null;
  return {
    percentage,
    attribute,
    unit,
    bucket: unit === null ? null : hashFractionAfter(`${flagKey}:${salt}:`)(unit) * 100,
    included: compileRollout(flagKey, ruleId, rollout, attributes)(context),
  };
}
