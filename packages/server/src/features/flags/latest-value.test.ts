import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LatestValue, latestValue } from './latest-value.ts';

test('the first evaluation starts the time of a value', () => {
  expect(latestValue(undefined, [{ value: 'a', at: 5 }])).toEqual({ value: 'a', since: 5, lastAt: 5 });
  const both = [
    { value: 'a', at: 5 },
    { value: 'b', at: 5 },
  ];
  expect(latestValue(undefined, both)).toMatchObject({ since: 5, lastAt: 5 });
});

test('the same value goes on, another one starts over', () => {
  const previous = { value: 'a', since: 10, lastAt: 50 };
  expect(latestValue(previous, [{ value: 'a', at: 60 }])).toEqual({ value: 'a', since: 10, lastAt: 60 });
  expect(latestValue(previous, [{ value: 'b', at: 60 }])).toEqual({ value: 'b', since: 50, lastAt: 60 });
  expect(latestValue(previous, [{ value: 'b', at: 40 }])).toEqual({ value: 'a', since: 40, lastAt: 50 });
  expect(latestValue(previous, [{ value: 'a', at: 3 }])).toEqual(previous);
});

const SEED = 20_260_117;

test(`no other value was seen after \`since\`, however late it was reported (seed ${SEED})`, () => {
  const seen = fc.record({ value: fc.constantFrom('a', 'b', 'c'), at: fc.integer({ min: 1, max: 30 }) });
  const reports = fc.array(fc.array(seen, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(reports, (all) => {
      let latest: LatestValue | undefined;
      for (const report of all) latest = latestValue(latest, report);
      const { value, since, lastAt } = latest!;
      expect(lastAt).toBe(Math.max(...all.flat().map(({ at }) => at)));
      const others = all.flat().filter((it) => it.value !== value);
      expect(others.filter(({ at }) => at > since)).toEqual([]);
      expect(since).toBeLessThanOrEqual(lastAt);
    }),
    { seed: SEED },
  );
});
