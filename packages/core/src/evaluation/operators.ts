import type { Condition, Operator } from '../api/targeting.ts';
import { asInJson, numberOf, textOf } from './attribute-values.ts';
import { parseInstant } from './instant.ts';
import { compareSemver, parseSemver } from './semver.ts';

/** Compiles a pattern to a search (unanchored); throws when it refuses the pattern. */
export type RegexCompiler = (pattern: string, caseInsensitive: boolean) => (text: string) => boolean;

/** Asks an attribute's value, never `null` or `undefined`. */
type ValueTest = (value: unknown) => boolean;

export type OperatorKind = 'text' | 'pattern' | 'number' | 'instant' | 'version' | 'presence' | 'segment';

/** What an operator compares, and so what its values must be. */
export function operatorKind(operator: Operator): OperatorKind {
  switch (operator) {
    case 'matches':
      return 'pattern';
    case 'lessThan':
    case 'lessThanOrEqual':
    case 'greaterThan':
    case 'greaterThanOrEqual':
      return 'number';
    case 'before':
    case 'after':
      return 'instant';
    case 'semverEqual':
    case 'semverLessThan':
    case 'semverLessThanOrEqual':
    case 'semverGreaterThan':
    case 'semverGreaterThanOrEqual':
      return 'version';
    case 'isSet':
    case 'isNotSet':
      return 'presence';
    case 'inSegment':
      return 'segment';
    default:
      return 'text';
  }
}

/**
 * The test of an operator that compares an attribute with values; `undefined` when the values make no sense.
 *
 * - `equals`, `in` (the same): the canonical text of the attribute is that of any value, so "5" equals 5 and
 *   true equals "true"; an object equals nothing. `notEquals`, `notIn`: exactly the opposite.
 * - `contains`, `startsWith`, `endsWith`, `matches`: on the canonical text, any value; `matches` searches.
 * - All of these ask the elements of an array one by one: any of them, for `notEquals` and `notIn` none.
 * - `lessThan` … `greaterThanOrEqual`: numbers and decimal strings against the first value.
 * - `before`, `after`: see `parseInstant`, against the first value.
 * - `semverEqual`: any value; the other `semver…`: the first; see `parseSemver`.
 * - What cannot be read as number, instant or version does not match; arrays neither.
 * - `caseInsensitive` lower-cases (Unicode, no locale) what the text operators compare; `matches` hands it on.
 */
export function compileOperator(condition: Condition, regex: RegexCompiler): ValueTest | undefined {
  const { operator, values = [], caseInsensitive = false } = condition;
  if (values.length === 0) return undefined;
  switch (operator) {
    case 'equals':
    case 'in':
      return equality(values, caseInsensitive);
    case 'notEquals':
    case 'notIn':
      return not(equality(values, caseInsensitive));
    case 'contains':
      return textual(values, caseInsensitive, (text, value) => text.includes(value));
    case 'startsWith':
      return textual(values, caseInsensitive, (text, value) => text.startsWith(value));
    case 'endsWith':
      return textual(values, caseInsensitive, (text, value) => text.endsWith(value));
    case 'matches':
      return pattern(values, caseInsensitive, regex);
    case 'lessThan':
      return ordered(values, numberOf, difference, (order) => order < 0);
    case 'lessThanOrEqual':
      return ordered(values, numberOf, difference, (order) => order <= 0);
    case 'greaterThan':
      return ordered(values, numberOf, difference, (order) => order > 0);
    case 'greaterThanOrEqual':
      return ordered(values, numberOf, difference, (order) => order >= 0);
    case 'before':
      return ordered(values, parseInstant, difference, (order) => order < 0);
    case 'after':
      return ordered(values, parseInstant, difference, (order) => order > 0);
    case 'semverEqual':
      return sameVersion(values);
    case 'semverLessThan':
      return ordered(values, parseSemver, compareSemver, (order) => order < 0);
    case 'semverLessThanOrEqual':
      return ordered(values, parseSemver, compareSemver, (order) => order <= 0);
    case 'semverGreaterThan':
      return ordered(values, parseSemver, compareSemver, (order) => order > 0);
    case 'semverGreaterThanOrEqual':
      return ordered(values, parseSemver, compareSemver, (order) => order >= 0);
    default:
      return undefined;
  }
}

type Values = NonNullable<Condition['values']>;

function not(test: ValueTest): ValueTest {
  return (value) => !test(value);
}

function difference(a: number, b: number): number {
  return a - b;
}

/** Applies a test of text to the text of a value, or to that of each element of an array. */
function onText(caseInsensitive: boolean, test: (text: string) => boolean): ValueTest {
  const single: ValueTest = (value) => {
    const text = textOf(value);
    return text !== undefined && test(caseInsensitive ? text.toLowerCase() : text);
  };
  return (value) => (Array.isArray(value) ? value.some((each) => single(asInJson(each))) : single(value));
}

function texts(values: Values, caseInsensitive: boolean): string[] {
  return values.map((value) => (caseInsensitive ? String(value).toLowerCase() : String(value)));
}

function equality(values: Values, caseInsensitive: boolean): ValueTest {
  const [first, ...others] = texts(values, caseInsensitive);
  if (others.length === 0) return onText(caseInsensitive, (text) => text === first);
  const wanted = new Set(others).add(first as string);
  return onText(caseInsensitive, (text) => wanted.has(text));
}

function textual(
  values: Values,
  caseInsensitive: boolean,
  holds: (text: string, value: string) => boolean,
): ValueTest {
  const wanted = texts(values, caseInsensitive);
  return onText(caseInsensitive, (text) => {
    for (const value of wanted) if (holds(text, value)) return true;
    return false;
  });
}

function pattern(values: Values, caseInsensitive: boolean, regex: RegexCompiler): ValueTest | undefined {
  const searches = values.flatMap((value) => {
    try {
      return [regex(String(value), caseInsensitive)];
    } catch {
      return []; // Refused when saved; should one get here all the same, it finds nothing.
    }
  });
  if (searches.length === 0) return undefined;
  return onText(false, (text) => {
    for (const search of searches) if (search(text)) return true;
    return false;
  });
}

function ordered<T>(
  values: Values,
  parse: (value: unknown) => T | undefined,
  compare: (a: T, b: T) => number,
  accept: (order: number) => boolean,
): ValueTest | undefined {
  const bound = parse(values[0]);
  if (bound === undefined) return undefined;
  return (value) => {
    const parsed = parse(value);
    return parsed !== undefined && accept(compare(parsed, bound));
  };
}

function sameVersion(values: Values): ValueTest | undefined {
  const wanted = values.map(parseSemver).filter((version) => version !== undefined);
  if (wanted.length === 0) return undefined;
  return (value) => {
    const parsed = parseSemver(value);
    return parsed !== undefined && wanted.some((version) => compareSemver(parsed, version) === 0);
  };
}
