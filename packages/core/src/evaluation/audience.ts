import type { PublishedAudience, PublishedCondition } from '../api/audience.ts';
import type { RegexCompiler } from './operators.ts';

/** What tests conditions besides texts and numbers. Few audiences need it, and it is as large as the rest. */
export interface AudienceValues {
  isHashed(operator: string, text: string, salt: string, expected: string): boolean;
  /** Something that sorts like the value; `undefined` if it is none. */
  instant(value: unknown): number | undefined;
  version(value: unknown): string | undefined;
}

interface Tools {
  readonly regex: RegexCompiler;
  /** Not needed if `needsValues` is false. */
  readonly values?: AudienceValues | undefined;
}

/** Whether an audience compares hashes, dates or versions. */
export const needsValues = (audience: unknown): boolean =>
  /"salt":|"(before|after|semver\w+)"/.test(JSON.stringify(audience));

/**
 * Whether a visitor belongs to a published audience: the same result as `compileConditions` with the conditions that it
 * was published from, in fewer bytes, because pages load it.
 *
 * @param read returns the value of an attribute, as in JSON; `undefined` if the visitor does not have it
 */
export function isInAudience(
  { match, conditions, negate }: PublishedAudience,
  read: (attribute: string) => unknown,
  tools: Tools,
): boolean {
  const test = (each: PublishedCondition | PublishedAudience) =>
    'match' in each ? isInAudience(each, read, tools) : isMet(each, read(each.attribute), tools);
  return (match === 'any' ? conditions.some(test) : conditions.every(test)) !== !!negate;
}

function isMet(condition: PublishedCondition, given: unknown, tools: Tools): boolean {
  const { operator, values, negate } = condition;
  const isList = Array.isArray(given);
  const list: unknown[] = isList ? given : [given];
  const length = list.filter((each) => typeof each === 'string').join('').length;
  if ((given ?? null) === null || list.length > 500 || length > (isList ? 4096 : 2048))
    return operator === 'isNotSet';
  if (/^is/.test(operator)) return operator === 'isSet';
  const isTrue = /Than|Equal|before|after/.test(operator)
    ? !isList && values!.some((bound) => compare(operator, given, bound, tools))
    : list.some((each) => typeof each !== 'object' && testText(condition, `${each}`, tools));
  return isTrue !== !!negate;
}

function testText(
  { operator, values, caseInsensitive, salt }: PublishedCondition,
  given: string,
  tools: Tools,
): boolean {
  const text = caseInsensitive && operator !== 'matches' ? given.toLowerCase() : given;
  return values!.some((value) => {
    const expected = `${value}`;
    if (operator === 'matches') return tools.regex(expected, !!caseInsensitive)(text);
    if (salt) return tools.values!.isHashed(operator, text, salt, expected);
    if (operator === 'in') return text === expected;
    return text[operator === 'contains' ? 'includes' : (operator as 'startsWith' | 'endsWith')](expected);
  });
}

function compare(operator: string, given: unknown, bound: string | number, tools: Tools): boolean {
  const parse = /^l|^g/.test(operator) ? decimal : tools.values![/^s/.test(operator) ? 'version' : 'instant'];
  const value = parse(given);
  const limit = parse(bound)!;
  if (value === undefined) return false;
  return (value < limit ? /less|before/i : value > limit ? /greater|after/i : /equal/i).test(operator);
}

export const decimal = (value: unknown): number | undefined =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value as string) ? Number(value) : undefined;
