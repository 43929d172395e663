import type { PublishedAudience, PublishedCondition } from '../api/audience.ts';
import type { RegexCompiler } from './operators.ts';

/** What tests conditions that do not just compare texts. Few audiences need it, and it is as large as the rest. */
export interface AudienceValues {
  /** Whether the text, or the part of it that the operator asks for, has one of the hashes. */
  isHashed(operator: string, text: string, salt: string, hashes: readonly unknown[]): boolean;
  /** Compares numbers, instants or versions. */
  compare(operator: string, given: unknown, bound: unknown): boolean;
}

interface Tools {
  readonly regex: RegexCompiler;
  /** Not needed if `needsValues` is false. */
  readonly values?: AudienceValues | undefined;
}

const COMPARES = /Than|Equal|before|after/;

/** Whether audiences have conditions that do not just compare texts. */
export const needsValues = (audiences: unknown): boolean =>
  /"salt"|Than"|Equal"|"before|"after/.test(JSON.stringify(audiences));

/**
 * Whether a visitor belongs to a published audience: the same result as `compileConditions` with the conditions that it
 * was published from, in fewer bytes, because pages load it.
 *
 * @param read returns the value of an attribute, as in JSON; `undefined` if the visitor does not have it, or if it is too
 * long (see `readAttribute`)
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
  const isMissing = (given ?? null) === null;
  if (isMissing || /^is/.test(operator)) return operator === (isMissing ? 'isNotSet' : 'isSet');
  const isTrue = COMPARES.test(operator)
    ? values!.some((bound) => tools.values!.compare(operator, given, bound))
    : [given].flat().some((each) => typeof each !== 'object' && testText(condition, `${each}`, tools));
  return isTrue !== !!negate;
}

function testText(
  { operator, values, caseInsensitive, salt }: PublishedCondition,
  given: string,
  tools: Tools,
): boolean {
  const text = caseInsensitive && operator !== 'matches' ? given.toLowerCase() : given;
  if (salt) return tools.values!.isHashed(operator, text, salt, values!);
  return values!.some((value) => {
    const expected = `${value}`;
    if (operator === 'matches') return tools.regex(expected, !!caseInsensitive)(text);
    if (operator === 'in') return text === expected;
    return text[operator === 'contains' ? 'includes' : (operator as 'startsWith' | 'endsWith')](expected);
  });
}
