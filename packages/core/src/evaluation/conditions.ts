import type { Condition, Rule } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import type { AttributeReaders, SharedTests } from './once-per-pass.ts';
import { compileOperator, type RegexCompiler } from './operators.ts';

export type ContextTest = (context: Context) => boolean;

export interface ConditionScope {
  readonly regex: RegexCompiler;
  /** The test of a segment; `undefined` if it is unknown or cannot be resolved. */
  readonly segment: (id: string) => ContextTest | undefined;
  readonly attributes: AttributeReaders;
  readonly tests: SharedTests;
}

export const never: ContextTest = () => false;

/** All or any of the conditions; without conditions it matches everyone. */
export function compileConditions(
  match: Rule['match'],
  conditions: readonly Condition[],
  scope: ConditionScope,
): ContextTest {
  const tests = conditions.map((condition) => compileCondition(condition, scope));
  const [only] = tests;
  if (only === undefined) return () => true;
  if (tests.length === 1) return only;
  const isAll = match !== 'any';
  return (context) => {
    for (const test of tests) if (test(context) !== isAll) return !isAll;
    return isAll;
  };
}

/**
 * One condition. `negate` inverts the result, but:
 * - a missing attribute (absent or null) matches nothing except `isNotSet`, negated or not;
 * - an invalid condition (no attribute, no usable value, no known segment) never matches.
 */
export function compileCondition(condition: Condition, scope: ConditionScope): ContextTest {
  if (condition.operator === 'inSegment') return inSegment(condition, scope);
  return scope.tests.of(condition, () => compileAttributeTest(condition, scope));
}

function compileAttributeTest(condition: Condition, scope: ConditionScope): ContextTest {
  const { attribute, operator, negate = false } = condition;
  if (attribute === undefined) return never;
  const read = scope.attributes.of(attribute);
  if (operator === 'isNotSet') return (context) => isMissing(read(context)) !== negate;
  if (operator === 'isSet') return negate ? never : (context) => !isMissing(read(context));
  const test = compileOperator(condition, scope.regex);
  if (!test) return never;
  return (context) => {
    const value = read(context);
    return !isMissing(value) && test(value) !== negate;
  };
}

function inSegment({ values = [], negate = false }: Condition, scope: ConditionScope): ContextTest {
  const segments = values.map((id) => scope.segment(String(id))).filter((test) => test !== undefined);
  if (segments.length === 0) return never;
  return (context) => {
    for (const segment of segments) if (segment(context)) return !negate;
    return negate;
  };
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
