import { expect, it } from 'vitest';
import type { OverlapReport } from '../../api/learning/overlap.ts';
import { describeOverlap, summarizeOverlap } from './overlap-words.ts';

type OverlapTest = OverlapReport['tests'][number];

const test = (finding: OverlapTest['finding'], more: Partial<OverlapTest> = {}): OverlapTest => ({
  splitTestKey: 'shipping',
  name: 'Free shipping',
  status: 'running',
  phase: 1,
  from: 0,
  to: null,
  visitors: 8120,
  share: 0.62,
  finding,
  pValue: null,
  words: '',
  differences: [],
  cells: [],
  ...more,
});

it.each([
  ['none', 'No interaction found with "Free shipping": 8,120 visitors are in both (62 %).'],
  [
    'collecting',
    'Not enough visitors to tell whether the effect depends on "Free shipping": 8,120 visitors are in both (62 %).',
  ],
  ['nobody', 'Nobody is in both this test and "Free shipping".'],
  [
    'not-compared',
    '8,120 visitors are in both (62 %). Only the effect on a goal can be compared, and only with a second variation.',
  ],
  [
    'dependent',
    'What visitors see here tells what they see in "Free shipping", which happens by chance practically never: the effects of the two tests cannot be told apart. Check that they do not have the same seed.',
  ],
] as const)('describes %s', (finding, words) => {
  expect(describeOverlap(test(finding))).toBe(words);
});

it('names the effects that differ, of many variations the first four', () => {
  const differing = (count: number, unit: 'relative' | 'absolute') => ({
    variation: 'b',
    unit,
    pValue: 0.001,
    effects: Array.from({ length: count }, (_, index) => ({
      otherVariation: `v${index}`,
      estimate: 0.1 - index / 10,
    })),
  });
  const words = (count: number, unit: 'relative' | 'absolute') =>
    describeOverlap(test('interaction', { differences: [differing(count, unit)] }));
  expect(words(2, 'relative')).toBe(
    'The effect differs between the variations of "Free shipping": look at them together. "b" has +10 % with "v0" and +0 % with "v1".',
  );
  expect(words(6, 'absolute')).toMatch(/"b" has \+0\.1 with "v0", .* with "v3" and 2 more\.$/);
});

it('sums up all other tests, and says which were not counted', () => {
  expect(summarizeOverlap([], 0)).toBe('No other test shares visitors with this one.');
  expect(summarizeOverlap([test('nobody', { visitors: 0 })], 1)).toBe(
    'No other test shares visitors with this one. 1 more test could not be counted yet.',
  );
  expect(summarizeOverlap([test('none'), test('collecting')], 0)).toBe(
    'No interaction found: 2 other tests share visitors with this one.',
  );
  expect(summarizeOverlap([test('collecting')], 0)).toBe(
    'Too early to tell whether the tests influence each other: 1 other test shares visitors with this one.',
  );
});
