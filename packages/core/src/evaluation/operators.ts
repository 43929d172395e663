import type { Condition, Operator } from '../api/targeting.ts';
import { asInJson, numberOf, textOf } from './attribute-values.ts';
import { parseInstant } from './instant.ts';
import { compareSemver, parseSemver } from './semver.ts';

/** Up to so many texts, comparing with each is faster than looking one up in a set. */
const MAX_COMPARED = 8;

/** Compiles a pattern to an unanchored search; throws for an invalid pattern. */
export type RegexCompiler = (pattern: string, caseInsensitive: boolean) => (text: string) => boolean;

/** Tests the value of an attribute, which is never `null` or `undefined`. */
type ValueTest = (value: unknown) => boolean;

export type OperatorKind = 'text' | 'pattern' | 'number' | 'instant' | 'version' | 'presence' | 'segment';

/** What an operator compares, which determines the type of its values. */
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
 * The test of an operator that compares an attribute with values; `undefined` if the values are invalid.
 *
 * - `equals` and `in` are the same: the canonical text of the attribute equals that of any value, so "5" equals 5 and
 *   true equals "true"; an object equals nothing. `notEquals` and `notIn` are the exact opposite.
 * - `contains`, `startsWith`, `endsWith` and `matches` compare the canonical text with any value; `matches` searches.
 * - All of these test each element of an array: any of them must match, or none for `notEquals` and `notIn`.
 * - `lessThan` … `greaterThanOrEqual` compare numbers and decimal strings with the first value.
 * - `before` and `after` compare instants (see `parseInstant`) with the first value.
 * - `semverEqual` compares with any value, the other `semver…` operators with the first; see `parseSemver`.
 * - Values that are not a number, instant or version do not match; neither do arrays.
 * - `caseInsensitive` lower-cases the text (Unicode, no locale); for `matches`, it is an option of the pattern.
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

let lastText = '';
let lastLowered = '';

/** Rules of many flags test the same attribute: it is lower-cased once, not once per rule. */
function lowerCase(text: string): string {
  if (text !== lastText) {
    lastText = text;
    lastLowered = text.toLowerCase();
  }
  return lastLowered;
}

/** Applies a text test to a value, or to each element of an array. */
function onText(caseInsensitive: boolean, test: (text: string) => boolean): ValueTest {
  const single: ValueTest = (value) => {
    const text = textOf(value);
    return text !== undefined && test(caseInsensitive ? lowerCase(text) : text);
  };
  return (value) => (Array.isArray(value) ? value.some((each) => single(asInJson(each))) : single(value));
}

function texts(values: Values, caseInsensitive: boolean): string[] {
  return values.map((value) => (caseInsensitive ? String(value).toLowerCase() : String(value)));
}

function equality(values: Values, caseInsensitive: boolean): ValueTest {
  const expected = [...new Set(texts(values, caseInsensitive))];
  const set = new Set(expected);
  const isExpected =
    expected.length > MAX_COMPARED
      ? (text: string) => set.has(text)
      : (text: string) => expected.includes(text);
  const test = onText(caseInsensitive, isExpected);
  if (caseInsensitive) return test;
  // Text, the usual case, needs no conversion.
  return (value) => (typeof value === 'string' ? isExpected(value) : test(value));
}

function textual(
  values: Values,
  caseInsensitive: boolean,
  matches: (text: string, value: string) => boolean,
): ValueTest {
  const expected = texts(values, caseInsensitive);
  return onText(caseInsensitive, (text) => {
    for (const value of expected) if (matches(text, value)) return true;
    return false;
  });
}

function pattern(values: Values, caseInsensitive: boolean, regex: RegexCompiler): ValueTest | undefined {
  const searches = values.flatMap((value) => {
    try {
      return [regex(String(value), caseInsensitive)];
    } catch {
      return []; // Rejected when saved; otherwise it matches nothing.
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
  const expected = values.map(parseSemver).filter((version) => version !== undefined);
  if (expected.length === 0) return undefined;
  return (value) => {
    const parsed = parseSemver(value);
    return parsed !== undefined && expected.some((version) => compareSemver(parsed, version) === 0);
  };
}
