import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DAY_MS } from '@switchyard/core/time';
import { closeShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { exposuresAt, startServerWithHistory } from '@switchyard/testing/fixtures/stored-history';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const NOW = Date.now();
const DAYS_SINCE_1970 = Math.floor(NOW / DAY_MS);
const VALUES = 20_000;

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
const test = (key: string, variations: number, goals = ['signup']) => ({
  key,
  type: 'id',
  status: 'running',
  goals,
  variations: keysOf(variations).map((it) => ({ key: it, weight: 1 })),
});
const exposure = (splitTestKey: string, variations: number, index: number, at = NOW) => ({
  splitTestKey,
  variationKey: `v${index % variations}`,
  sessionId: `${splitTestKey}-${index}`,
  at,
});

const GOALS = ['signup', 'revenue'];
const splitTests = [test('thirty', 30, GOALS), test('hundred', 100), test('values', 20, GOALS)];

/** Forged attributes, and exposures dated on every day since 1970. */
const requests = exposuresAt(NOW, [
  ...Array.from({ length: DAYS_SINCE_1970 }, (_, day) => exposure('thirty', 30, day, NOW - day * DAY_MS)),
  ...Array.from({ length: 1000 }, (_, index) => exposure('hundred', 100, index)),
  ...Array.from({ length: VALUES }, (_, index) => ({
    ...exposure('values', 20, index, NOW - (index % 300) * DAY_MS),
    attributes: JSON.stringify({ country: index % 10 === 0 ? 'DE' : `forged ${index}`, '*': 'star' }),
  })),
]);

let shop: Shop;
beforeAll(async () => {
  const provision = sampleWith({ splitTests, retentionDays: null });
  const runningSince = NOW - 400 * DAY_MS;
  shop = new Shop(await startServerWithHistory({ provision, requests, runningSince }));
});
afterAll(() => closeShop(shop));

const visitorsOf = ({ variations }: TestResponse['body']) =>
  variations.reduce((sum: number, { visitors }: TestResponse['body']) => sum + visitors, 0);

describe('a very large report', () => {
  it('lists the largest segments, and combines the others', async () => {
    const { segments } = (await shop.results('values', { by: 'country' })).breakdown;
    expect(segments).toHaveLength(51);
    expect(segments[0]).toMatchObject({ value: 'DE', other: false });
    expect(segments.at(-1)).toMatchObject({ value: null, other: true });
    expect([visitorsOf(segments[0]), visitorsOf(segments.at(-1))]).toEqual([
      VALUES / 10,
      VALUES - VALUES / 10 - 49,
    ]);
  });

  it('treats attribute names literally', async () => {
    const { segments } = (await shop.results('values', { by: '*' })).breakdown;
    expect(segments.map(({ value }: TestResponse['body']) => value)).toEqual(['star']);
  });

  it('covers at most a year, whatever dates the exposures have', async () => {
    const { series, variations } = await shop.results('thirty', { include: 'series' });
    expect(series.length).toBeGreaterThan(100);
    expect(series.length).toBeLessThanOrEqual(366);
    // A day later if midnight has passed since.
    const today = NOW - (NOW % DAY_MS);
    expect([today, today + DAY_MS]).toContain(series.at(-1).at);
    expect(visitorsOf(series.at(-1))).toBe(DAYS_SINCE_1970);
    expect(visitorsOf({ variations })).toBe(DAYS_SINCE_1970);
    const added = series.flatMap((point: TestResponse['body']) => point.variations);
    const inYear = added.reduce((sum: number, { newVisitors }: TestResponse['body']) => sum + newVisitors, 0);
    expect(inYear).toBeLessThanOrEqual(366);
  });

  it('counts a hundred variations', async () => {
    const { variations, series, breakdown } = await shop.results('hundred', {
      include: 'series,feedback',
      by: 'a',
    });
    expect(variations).toHaveLength(100);
    expect(new Set(variations.map(({ visitors }: TestResponse['body']) => visitors))).toEqual(new Set([10]));
    expect(visitorsOf(series.at(-1))).toBe(1000);
    expect(breakdown.segments).toMatchObject([{ value: null, other: false }]);
  });

  it('does not block other requests', async () => {
    const probe = await startProbe(shop.server.url);
    const start = performance.now();
    await shop.results('values', { by: 'country', include: 'series', fresh: 'true' });
    await shop.results('thirty', { include: 'series', fresh: 'true' });
    const attackMs = performance.now() - start;
    expect(await worstWaitOf(probe)).toBeLessThan(attackMs / 2);
  });
});

/** Records the worst latency, in a separate process, so that it measures the server and not this test. */
async function startProbe(url: string): Promise<ChildProcess> {
  const script = `
    let [worst, done] = [0, false];
    process.stdin.on('end', () => { done = true; }).resume();
    const probe = async () => {
      const start = performance.now();
      await (await fetch(process.argv[1] + '/healthz')).text();
      return performance.now() - start;
    };
    await probe();
    console.log('ready');
    while (!done) {
      worst = Math.max(worst, await probe());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log(worst);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, url]);
  await once(child.stdout, 'data');
  return child;
}

async function worstWaitOf(probe: ChildProcess): Promise<number> {
  const output = once(probe.stdout!, 'data');
  probe.stdin!.end();
  return Number(String((await output)[0]));
}
