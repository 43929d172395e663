import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { PublishedAudience } from '../api/audience.ts';
import type { Condition } from '../api/targeting.ts';
import vectors from '../cases/audience.json' with { type: 'json' };
import flagVectors from '../cases/flags.json' with { type: 'json' };
import { readAttribute } from './attribute-values.ts';
import { isInAudience } from './audience.ts';
import * as values from './audience-values.ts';
import { pagePattern } from './page-pattern.ts';
import { publishAudience } from './publish-audience.ts';
import { ruleRegex } from './rule-regex.ts';

const inPages = (pattern: string, caseInsensitive: boolean) => {
  const compiled = new RegExp(pattern, caseInsensitive ? 'iu' : 'u');
  return (text: string) => compiled.test(text);
};
const tools = {
  salt: 's1',
  sha256: (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32),
  regex: ruleRegex(RE2JS),
};

describe.each([
  ['in pages', inPages],
  ['on servers', tools.regex],
])('published audiences %s', (_where, regex) => {
  it.each(vectors.cases)('$name', ({ audience, context, matches }) => {
    const read = (name: string) => readAttribute(context, name);
    expect(isInAudience(audience as PublishedAudience, read, { regex, values })).toBe(matches);
  });
});

/** Patterns that only servers understand are refused in audiences. */
const isForPages = ({ operator, values = [] }: Condition) =>
  operator !== 'matches' || values.every((value) => pagePattern(String(value)) !== undefined);

describe('an audience of one condition has the members that a flag rule has', () => {
  const conditions = flagVectors.conditions as {
    name: string;
    condition: Condition;
    context: object;
    matches: boolean;
  }[];
  it.each(conditions.filter(({ condition }) => isForPages(condition)))(
    '$name',
    ({ condition, context, matches }) => {
      const audience = publishAudience({ conditions: [condition] }, [], tools);
      const read = (name: string) => readAttribute(context as Record<string, unknown>, name);
      expect(isInAudience(audience, read, { regex: inPages, values })).toBe(matches);
    },
  );
});
