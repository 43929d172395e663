import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { ruleRegex } from './rule-regex.ts';

const compile = ruleRegex(RE2JS);

test('searches anywhere in the text, with or without regard to case', () => {
  expect(compile('^pro|team$', false)('my team')).toBe(true);
  expect(compile('Pro', false)('pro')).toBe(false);
  expect(compile('Pro', true)('a PRO plan')).toBe(true);
});

test('takes linear time for patterns that backtrack', () => {
  expect(compile('(a+)+$', false)(`${'a'.repeat(10_000)}b`)).toBe(false);
});

test('takes patterns of 500 steps, but not of more', () => {
  const library = (steps: number) =>
    ruleRegex({ CASE_INSENSITIVE: 1, compile: () => ({ programSize: () => steps, test: () => true }) });
  expect(library(500)('x', false)('x')).toBe(true);
  expect(() => library(501)('x', false)).toThrow('it takes 501 steps, at most 500 are allowed');
});

test.each([
  ['(', /missing closing/],
  ['a{500}', /it takes \d+ steps, at most 500 are allowed/],
])('refuses %s', (pattern, message) => {
  expect(() => compile(pattern, false)).toThrow(message);
});
