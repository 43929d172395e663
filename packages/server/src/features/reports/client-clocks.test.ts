import { DAY_MS } from '@switchyard/core/time';
import { closeShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { exposuresAt, startServerWithHistory } from '@switchyard/testing/fixtures/stored-history';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TODAY = Date.now() - (Date.now() % DAY_MS);
const DAYS = 14;
const PER_DAY = 40;

const KEYS = ['steady', 'early', 'gap', 'hidden'];
const GAP = [5, 6, 7];

const exposure = (splitTestKey: string, index: number, at: number) => ({
  splitTestKey,
  variationKey: index % 2 === 0 ? 'control' : 'b',
  sessionId: `${splitTestKey}-${at}-${index}`,
  at,
});

/** The same traffic every day; tests with a gap have three days without any. */
const requests = Array.from({ length: DAYS + 1 }, (_, day) => day).flatMap((day) => {
  const at = TODAY - (DAYS - day) * DAY_MS + DAY_MS / 4;
  const shown = KEYS.filter((key) => !(GAP.includes(day) && (key === 'gap' || key === 'hidden')));
  const exposures = shown.flatMap((key) =>
    Array.from({ length: PER_DAY }, (_, index) => exposure(key, index, at)),
  );
  if (day === DAYS) {
    exposures.push(exposure('early', 0, TODAY - (DAYS + 8) * DAY_MS), exposure('hidden', 0, 0));
  }
  return exposuresAt(Math.min(at, Date.now()), exposures);
});

let shop: Shop;
beforeAll(async () => {
  const variations = ['control', 'b'].map((key) => ({ key, weight: 1 }));
  const splitTests = KEYS.map((key) => ({ key, type: 'id', status: 'running', variations }));
  const provision = sampleWith({ splitTests });
  const runningSince = TODAY - DAYS * DAY_MS + DAY_MS / 8;
  shop = new Shop(await startServerWithHistory({ provision, requests, runningSince }));
});
afterAll(() => closeShop(shop));

const gapsOf = async (key: string) =>
  (await shop.results(key)).health.problems
    .filter(({ problem }: TestResponse['body']) => problem === 'missing-exposures')
    .map(({ days }: TestResponse['body']) => days);

describe('the health of a test', () => {
  it('checks the days in which it ran by the server clock', async () => {
    expect(await gapsOf('steady')).toEqual([]);
    expect(await gapsOf('gap')).toEqual([3]);
  });

  it('ignores an exposure dated long before the start', async () => {
    expect(await gapsOf('early')).toEqual([]);
  });

  it('still finds a gap if one exposure is dated 1970', async () => {
    expect(await gapsOf('hidden')).toEqual([3]);
  });

  it('is in the bundle, which still verifies', async () => {
    const { body } = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'hidden' });
    expect(body.results.problems).toMatchObject([{ problem: 'missing-exposures', days: 3 }]);
    expect(body.input.exposures.length).toBeLessThan(2 * (DAYS + 2));
  });
});
