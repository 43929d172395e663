import { expect, it } from 'vitest';
import { describeSegments } from './segment-words.ts';

const differing = (name: string, more: object = {}) => ({
  segment: 0,
  name,
  variation: 'b',
  effect: 0.254,
  effectElsewhere: -0.031,
  unit: 'relative' as const,
  pValue: 0.001,
  ...more,
});

it('needs two groups', () => {
  expect(describeSegments([], 0)).toBe('There are no groups to compare yet.');
  expect(describeSegments([], 1)).toBe('There are no groups to compare yet.');
});

it('says that no group differs', () => {
  expect(describeSegments([], 2)).toBe(
    'No group differs: the effect could be the same in all 2 groups. Differences between their figures are within chance.',
  );
});

it('names up to three groups that differ, with their effects', () => {
  expect(describeSegments([differing('mobile')], 4)).toBe(
    'The effect differs from the rest, after a correction for 4 groups, in "mobile" ("b": +25 %, elsewhere -3.1 %).',
  );
  const absolute = { unit: 'absolute', effect: -1.25, effectElsewhere: 0.4 };
  expect(describeSegments([differing('mobile'), differing('de', absolute)], 4)).toBe(
    'The effect differs from the rest, after a correction for 4 groups, in "mobile" ("b": +25 %, elsewhere -3.1 %) and "de" ("b": -1.3, elsewhere +0.4).',
  );
});

it('counts the others', () => {
  const all = ['1', '2', '3', '4', '5'].map((name) => differing(name));
  const one = (name: string) => `"${name}" ("b": +25 %, elsewhere -3.1 %)`;
  expect(describeSegments(all.slice(0, 3), 9)).toBe(
    `The effect differs from the rest, after a correction for 9 groups, in ${one('1')}, ${one('2')} and ${one('3')}.`,
  );
  expect(describeSegments(all, 9)).toBe(
    `The effect differs from the rest, after a correction for 9 groups, in ${one('1')}, ${one('2')} and ${one('3')} and 2 more.`,
  );
});
