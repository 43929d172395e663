import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SEED = 8128;

let shop: MemoryConfiguration;
beforeEach(async () => {
  shop = await openMemoryConfiguration();
});
afterEach(() => shop.handle.close());

const variations = [{ key: 'a', weight: 1 }];
const test = (key: string, share: number, fields: object = {}) => {
  return { key, type: 'id', status: 'running', variations, exclusion: { group: 'g', share }, ...fields };
};
const apply = (...splitTests: object[]) => shop.apply({ splitTests });
const slot = async (key: string) => {
  const { exclusion } = await shop.test(key);
  return exclusion && [exclusion.from, exclusion.to];
};

describe('slots', () => {
  it('are assigned from the left, one after the other', async () => {
    await apply(test('one', 30), test('two', 50));
    await apply(test('three', 20));
    expect([await slot('one'), await slot('two'), await slot('three')]).toEqual([
      [0, 30],
      [30, 80],
      [80, 100],
    ]);
  });

  it('of different groups are independent', async () => {
    await apply(test('one', 100), test('two', 100, { exclusion: { group: 'h', share: 100 } }));
    expect([await slot('one'), await slot('two')]).toEqual([
      [0, 100],
      [0, 100],
    ]);
  });

  it('stay while group and share stay the same', async () => {
    await apply(test('one', 30), test('two', 30));
    await apply({ key: 'one', status: 'stopped' });
    await apply(test('three', 10));
    await apply({ key: 'two', exclusion: { group: 'g', share: 30 }, trafficAllocation: 5 });
    expect([await slot('two'), await slot('three')]).toEqual([
      [30, 60],
      [0, 10],
    ]);
  });

  it('keep their start if there is room to grow, and move otherwise', async () => {
    await apply(test('one', 10), test('two', 30));
    await apply({ key: 'two', exclusion: { group: 'g', share: 60 } });
    expect(await slot('two')).toEqual([10, 70]);
    await apply({ key: 'one', exclusion: { group: 'g', share: 20 } });
    expect(await slot('one')).toEqual([70, 90]);
    expect((await shop.test('one')).phases.at(-1)).toMatchObject({ number: 2, reasons: ['exclusion'] });
  });

  it('can be freed and reused within one file', async () => {
    await apply(test('one', 60), test('two', 40));
    await apply(test('three', 70), { key: 'one', exclusion: null }, { key: 'two', status: 'stopped' });
    expect([await slot('one'), await slot('three')]).toEqual([null, [0, 70]]);
  });

  it('are held by draft and paused tests, and by tests whose winner is served', async () => {
    await apply(
      test('draft', 10, { status: 'draft' }),
      test('paused', 10, { status: 'paused' }),
      test('won', 10, { status: 'stopped', winner: 'a' }),
      test('stopped', 10, { status: 'stopped' }),
      test('archived', 10, { status: 'archived', winner: 'a' }),
    );
    expect(await shop.mistakes({ splitTests: [test('late', 71)] })).toEqual([
      'splitTests/0/exclusion/share does not fit: 71 % requested in group "g", free: 30 to 100',
    ]);
  });

  it('add up to 100 despite rounding errors', async () => {
    await apply(test('one', 33.33), test('two', 33.33), test('three', 33.34));
    expect((await slot('three'))?.[1]).toBe(100);
    const nine = Array.from({ length: 9 }, (_, index) => `t${index + 1}`);
    const inGroup = (key: string, share: number) => test(key, share, { exclusion: { group: 'h', share } });
    await apply(inGroup('t0', 9.1), ...nine.map((key) => inGroup(key, 10.1)));
    expect((await slot('t9'))?.[1]).toBe(100);
  });

  it('can be chosen with `from`, unless the range is taken', async () => {
    const at = (from: number, share: number) => ({ exclusion: { group: 'g', share, from } });
    await apply(test('one', 20, at(40, 20)), test('two', 30));
    expect([await slot('one'), await slot('two')]).toEqual([
      [40, 60],
      [0, 30],
    ]);
    expect(
      await shop.mistakes({
        splitTests: [
          test('three', 1, at(55, 10)),
          test('four', 1, at(95, 10)),
          test('five', 50),
          test('six', 1, at(61, 0)),
        ],
      }),
    ).toEqual([
      'splitTests/3/exclusion/share must be above 0',
      'splitTests/1/exclusion/from does not fit: 10 % requested in group "g", free: 30 to 40, 60 to 100',
      'splitTests/0/exclusion/from does not fit: 10 % requested in group "g", free: 30 to 40, 60 to 100',
      'splitTests/2/exclusion/share does not fit: 50 % requested in group "g", free: 30 to 40, 60 to 100',
    ]);
  });

  it('are refused when nothing is free', async () => {
    await apply(test('one', 100));
    expect(await shop.mistakes({ splitTests: [test('two', 1)] })).toEqual([
      'splitTests/0/exclusion/share does not fit: 1 % requested in group "g", nothing is free',
    ]);
  });
});

it(`slots never overlap, whatever is applied in any order (seed ${SEED})`, async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.array(
    fc.record(
      {
        key: fc.constantFrom(...keys),
        exclusion: fc.option(
          fc.record(
            {
              group: fc.constantFrom('g', 'h'),
              share: fc.oneof(
                fc.constantFrom(10, 33.3, 33.4, 50),
                fc.double({ min: 0.01, max: 60, noNaN: true }),
              ),
              from: fc.constantFrom(0, 10, 33.3, 50),
            },
            { requiredKeys: ['group', 'share'] },
          ),
        ),
        status: fc.constantFrom('paused', 'running', 'stopped'),
      },
      { requiredKeys: ['key'] },
    ),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const fresh = await openMemoryConfiguration();
      await fresh.apply({
        splitTests: keys.map((key) => ({ key, type: 'id', status: 'running', variations })),
      });
      for (const splitTests of steps) {
        const before = await fresh.property();
        // Some steps are rejected; only the stored slots matter.
        await fresh.apply({ splitTests }).catch(() => {});
        const after = (await fresh.property())!;
        for (const group of ['g', 'h']) {
          const slots = after.splitTests
            .filter(({ status, exclusion }) => status !== 'stopped' && exclusion?.group === group)
            .map(({ exclusion }) => exclusion!)
            .sort((left, right) => left.from - right.from);
          for (const [index, { from, to }] of slots.entries()) {
            expect(from).toBeGreaterThanOrEqual(index === 0 ? 0 : slots[index - 1]!.to);
            expect(to).toBeGreaterThan(from);
            expect(to).toBeLessThanOrEqual(100);
          }
        }
        for (const { key, exclusion } of before?.splitTests ?? []) {
          const now = after.splitTests.find((candidate) => candidate.key === key)?.exclusion;
          const same = now?.group === exclusion?.group && now?.share === exclusion?.share;
          const pinned = splitTests.some((entry) => entry.key === key && entry.exclusion?.from !== undefined);
          if (same && !pinned) expect(now).toEqual(exclusion);
        }
      }
      await fresh.handle.close();
    }),
    { seed: SEED, numRuns: 30 },
  );
});
