import type { RolloutStepResult } from '../api/explanations.ts';
import type { Rule } from '../api/targeting.ts';
import { type Context, readAttribute, textOf } from './attribute-values.ts';
import { type ContextTest, never } from './conditions.ts';
import { hashFractionAfter } from './hash.ts';

/** Hashed by default: the first that the context has. */
export const UNITS: readonly string[] = ['targetingKey', 'userId', 'email', 'visitorId', 'sessionId'];

/** Whether a context is within the percentage; without an id, only if the percentage is 100. */
export function compileRollout(
  flagKey: string,
  ruleId: string,
  rollout: NonNullable<Rule['rollout']>,
): ContextTest {
  const { percentage, by, salt = ruleId } = rollout;
  if (percentage >= 100) return () => true;
  if (!(percentage > 0)) return never;
  const attributes = by === undefined ? UNITS : [by];
  const draw = hashFractionAfter(`${flagKey}:${salt}:`);
  return (context) => {
    const unit = unitOf(context, attributes);
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
  const attributes = by === undefined ? UNITS : [by];
  const attribute = attributes.find((each) => unitOf(context, [each]) !== undefined) ?? null;
  const unit = unitOf(context, attributes) ?? null;
  return {
    ...{ percentage, attribute, unit },
    bucket: unit === null ? null : hashFractionAfter(`${flagKey}:${salt}:`)(unit) * 100,
    included: compileRollout(flagKey, ruleId, rollout)(context),
  };
}

/** The first attribute that is a non-empty string or a number. */
function unitOf(context: Context, attributes: readonly string[]): string | undefined {
  for (const attribute of attributes) {
    const value = readAttribute(context, attribute);
    const unit = typeof value === 'boolean' ? undefined : textOf(value);
    if (unit) return unit;
  }
  return undefined;
}
