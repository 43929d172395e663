import type { RolloutStepResult } from '../api/explanations.ts';
import type { Rule } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import type { ContextTest } from './conditions.ts';
import { AttributeReaders, UNITS } from './once-per-pass.ts';
import { compileSplit, drawFor, rangesOf, variantOf } from './split.ts';

/** Whether a context is within the percentage; without an id, only if the percentage is 100. */
export function compileRollout(
  flagKey: string,
  ruleId: string,
  rollout: NonNullable<Rule['rollout']>,
  attributes: AttributeReaders,
): ContextTest {
  const { percentage, by } = rollout;
  if (percentage >= 100) return () => true;
  const readUnit = attributes.unit(by);
  const draw = drawFor(flagKey, ruleId, rollout);
  return (context) => {
    const unit = readUnit(context);
    return unit !== undefined && draw(unit) * 100 < percentage;
  };
}

/** How `compileRollout` and `compileSplit` decide. */
export function explainDraw(
  flagKey: string,
  { id, rollout = { percentage: 100 }, split }: Rule,
  context: Context,
): RolloutStepResult {
  const { percentage, by } = rollout;
  const attributes = new AttributeReaders({ id: 0 });
  const unitOf = (name: string | undefined) => attributes.unit(name)(context);
  const candidates = by === undefined ? UNITS : [by];
  const unit = unitOf(by);
  const drawn = {
    percentage,
    attribute: candidates.find((each) => unitOf(each) !== undefined) ?? null,
    unit: unit ?? null,
    bucket: unit === undefined ? null : drawFor(flagKey, id, rollout)(unit) * 100,
  };
  if (split === undefined) {
    return { ...drawn, included: compileRollout(flagKey, id, rollout, attributes)(context) };
  }
  const served = compileSplit({ flagKey, ruleId: id, rollout, split, attributes })(context);
  const ranges = rangesOf(split, percentage);
  return {
    ...drawn,
    included: served >= 0,
    split: split.map(({ value }, index) => ({
      variant: variantOf(split, index),
      value,
      from: ranges[index]!.from,
      to: ranges[index]!.to,
      served: index === served,
    })),
  };
}
