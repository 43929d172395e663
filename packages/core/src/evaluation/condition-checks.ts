import type { Condition } from '../api/targeting.ts';
import { numberOf } from './attribute-values.ts';
import { parseInstant } from './instant.ts';
import { type OperatorKind, operatorKind, type RegexCompiler } from './operators.ts';
import { parseSemver } from './semver.ts';

/** A validation error: a JSON pointer and a message. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
}

export interface ConditionRules {
  readonly regex: RegexCompiler;
  readonly isSegment: (id: string) => boolean;
}

type ConditionValue = NonNullable<Condition['values']>[number];

/** All mistakes in a list of conditions at `path`. */
export function checkConditions(
  conditions: readonly Condition[],
  path: string,
  rules: ConditionRules,
): Mistake[] {
  return conditions.flatMap((condition, index) => checkCondition(condition, `${path}/${index}`, rules));
}

function checkCondition(condition: Condition, path: string, rules: ConditionRules): Mistake[] {
  const { attribute, operator, values = [], caseInsensitive = false } = condition;
  const kind = operatorKind(operator);
  const mistakes: Mistake[] = [];
  if (kind !== 'segment' && !attribute) {
    mistakes.push({ path: `${path}/attribute`, message: `operator ${operator} requires an attribute` });
  }
  if (kind === 'presence') return mistakes;
  if (values.length === 0) {
    mistakes.push({ path: `${path}/values`, message: `operator ${operator} requires a value` });
  }
  for (const [index, value] of values.entries()) {
    const message = checkValue(kind, value, caseInsensitive, rules);
    if (message) mistakes.push({ path: `${path}/values/${index}`, message });
  }
  return mistakes;
}

function checkValue(
  kind: OperatorKind,
  value: ConditionValue,
  caseInsensitive: boolean,
  rules: ConditionRules,
): string | undefined {
  switch (kind) {
    case 'number':
      return numberOf(value) === undefined ? 'must be a number' : undefined;
    case 'instant':
      return parseInstant(value) === undefined
        ? 'must be a date: ISO 8601 such as 2026-01-31T12:00:00Z, or Unix milliseconds'
        : undefined;
    case 'version':
      return parseSemver(value) === undefined ? 'must be a semantic version such as "1.2.3"' : undefined;
    case 'pattern':
      return checkPattern(String(value), caseInsensitive, rules.regex);
    case 'segment':
      return rules.isSegment(String(value)) ? undefined : `unknown segment ${JSON.stringify(value)}`;
    default:
      return undefined;
  }
}

function checkPattern(pattern: string, caseInsensitive: boolean, regex: RegexCompiler): string | undefined {
  try {
    regex(pattern, caseInsensitive);
    return undefined;
  } catch (error) {
    return `invalid pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}
