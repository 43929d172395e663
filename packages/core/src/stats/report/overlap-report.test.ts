import { expect, it } from 'vitest';
import { convertedOnce, groupOf, inputOf } from '../../testing/report-cases.ts';
import { overlappingTests } from './overlap-report.ts';

const TEST = {
  splitTestKey: 'other',
  name: 'Other',
  status: 'running',
  phase: 1,
  from: 0,
  to: null,
} as const;

/** Visitors of 20 days who were drawn independently: "c" was retired after 5 days, and "z" of the other test after 10. */
const CELLS: readonly (readonly [variation: string, otherVariation: string, visitors: number])[] = [
  ['control', 'x', 2000],
  ['control', 'y', 2000],
  ['control', 'z', 1000],
  ['b', 'x', 2000],
  ['b', 'y', 2000],
  ['b', 'z', 1000],
  ['c', 'x', 500],
  ['c', 'y', 500],
  ['c', 'z', 500],
];

const findingWith = (retired: { own: string; other: string }) => {
  const groups = CELLS.map(([variation, segment, visitors]) =>
    groupOf(variation, visitors, { segment, goals: [convertedOnce('signup', visitors / 10)] }),
  );
  const variations = ['control', 'b', 'c'].map((key) => ({ key, weight: 1, retired: key === retired.own }));
  const input = inputOf(groups, { variations });
  const [found] = overlappingTests(
    [{ test: TEST, variations: ['x', 'y', 'z'], retired: [retired.other], input }],
    0.05,
  );
  return found!.finding;
};

it('retired variations say nothing about the draws', () => {
  expect(findingWith({ own: 'c', other: 'z' })).toBe('none');
  expect(findingWith({ own: '', other: '' })).toBe('dependent');
});
