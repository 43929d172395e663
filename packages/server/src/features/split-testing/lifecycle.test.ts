import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AssignableTest, assign } from '@switchyard/core/evaluation/assignment';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const variations = [
  { key: 'control', weight: 1, value: 'a' },
  { key: 'b', weight: 1, value: 'b' },
  { key: 'c', weight: 1, value: 'c' },
];
const test = (key: string, fields: object = {}) => ({
  key,
  type: 'text',
  status: 'running',
  variations,
  ...fields,
});
const inGroup = (share: number) => ({ exclusion: { group: 'checkout', share } });

const TESTS = [
  test('first', inGroup(30)),
  test('second', inGroup(60)),
  test('changing'),
  test('ending'),
  test('ended', { status: 'stopped', winner: 'c', ...inGroup(10) }),
  test('filed', { status: 'archived', winner: 'c' }),
  test('late', { status: 'draft', startAt: 1000 }),
];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests: TESTS, holdout: 20, hashSeed: 'shop-seed' }) });
});
afterAll(() => closeShop(shop));

const config = async (from: Shop = shop) => (await from.get('/v1/split-testing/config', {}, PUBLIC_KEY)).body;
const publishedTest = async (key: string, from: Shop = shop) =>
  (await config(from)).tests.find((each: { key: string }) => each.key === key);
const apply = (...splitTests: object[]) =>
  applyProvision(shop.server, { properties: [{ id: 'shop', splitTests }] });

describe('holdout and exclusion groups', () => {
  it('are in the config: the holdout once, the slot in each test of a group', async () => {
    expect((await config()).holdout).toEqual({ seed: 'shop-seed', percentage: 20 });
    expect((await publishedTest('first')).exclusion).toEqual({ seed: 'shop-seed:checkout', from: 0, to: 30 });
    expect((await publishedTest('second')).exclusion).toEqual({
      seed: 'shop-seed:checkout',
      from: 30,
      to: 90,
    });
    expect(await publishedTest('hero')).not.toHaveProperty('exclusion');
  });

  it('no visitor is in two tests of a group, and a fifth is in none at all', async () => {
    const { tests, holdout } = await config();
    const [first, second, hero] = ['first', 'second', 'hero'].map(
      (key): AssignableTest => tests.find((each: { key: string }) => each.key === key),
    );
    const counts = { first: 0, second: 0, both: 0, hero: 0 };
    for (let index = 0; index < 10_000; index++) {
      const takesPart = (test: AssignableTest) => assign(test, `visitor-${index}`, holdout).included;
      if (takesPart(hero!)) counts.hero += 1;
      if (takesPart(first!)) counts.first += 1;
      if (takesPart(second!)) counts.second += 1;
      if (takesPart(first!) && takesPart(second!)) counts.both += 1;
    }
    expect(counts.both).toBe(0);
    // Four standard deviations around 80 % of 100, 30 and 60 %.
    expect(Math.abs(counts.hero - 8000)).toBeLessThan(160);
    expect(Math.abs(counts.first - 2400)).toBeLessThan(171);
    expect(Math.abs(counts.second - 4800)).toBeLessThan(200);
  });
});

describe('a change to a running test', () => {
  it('starts a phase, which `apply` prints and the config contains', async () => {
    expect((await publishedTest('changing')).phase).toBe(1);
    const file = join(shop.server.dataDir, 'weights.json');
    const changed = [variations[0], { ...variations[1], weight: 3 }];
    writeFileSync(
      file,
      JSON.stringify({
        properties: [{ id: 'shop', splitTests: [{ key: 'changing', variations: changed }] }],
      }),
    );
    const note =
      /^ {6}! starts phase 2 \(new weights, new variations\); results of each phase are reported separately$/m;
    expect((await switchyard(shop.server, 'plan', file)).stdout).toMatch(note);
    expect((await switchyard(shop.server, 'apply', file)).stdout).toMatch(note);
    await waitFor('the change', async () => (await publishedTest('changing')).phase === 2);
    expect((await publishedTest('changing')).variations).toEqual(changed);
    // Applying it again changes nothing, so it starts no phase.
    expect((await switchyard(shop.server, 'apply', file)).stdout).not.toContain('phase');
  });

  it('still accepts exposures of pages with the old definition', async () => {
    await accepted(
      shop.expose({ splitTestKey: 'changing', variationKey: 'c', sessionId: 'cached', phase: 1 }),
      shop.expose({ splitTestKey: 'changing', variationKey: 'b', sessionId: 'fresh', phase: 2 }),
    );
    const response = await shop.expose({
      splitTestKey: 'changing',
      variationKey: 'd',
      sessionId: 'x',
      phase: 2,
    });
    expectProblem(response, { status: 404, code: 'split_test_not_found' });
  });

  it.each([0, -1, 1.5, 1_000_001, '1', null])('an exposure in phase %j is rejected', async (phase) => {
    const response = await shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: 'x', phase });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/exposures/0/phase'] });
  });

  it('that the status does not allow is rejected, with the allowed changes', async () => {
    await expect(apply({ key: 'finished', status: 'running' })).rejects.toThrow(
      '/properties/0/splitTests/0/status cannot change from stopped to running; allowed: archived',
    );
  });
});

describe('a winner', () => {
  it('is served to everyone: as the first variation, with no traffic', async () => {
    const ended = await publishedTest('ended');
    expect(ended).toMatchObject({ status: 'running', trafficAllocation: 0 });
    expect(ended.variations.map(({ key }: { key: string }) => key)).toEqual(['c', 'control', 'b']);
    for (let index = 0; index < 100; index++) {
      expect(assign(ended, `visitor-${index}`)).toEqual({ included: false, index: 0 });
    }
  });

  it('is served while the test is stopped, but not once it is archived', async () => {
    await apply({ key: 'ending', status: 'stopped' });
    await waitFor('the stop', async () => (await publishedTest('ending')) === undefined);
    await apply({ key: 'ending', winner: 'b' });
    await waitFor('the winner', async () => (await publishedTest('ending'))?.variations[0].key === 'b');
    expect(await publishedTest('ending')).toMatchObject({ trafficAllocation: 0, phase: 1 });
    await apply({ key: 'ending', status: 'archived' });
    await waitFor('the archive', async () => (await publishedTest('ending')) === undefined);
    expect(await publishedTest('filed')).toBeUndefined();
  });
});

describe('a schedule', () => {
  it('starts an overdue test at once', async () => {
    await waitFor('the start', async () => (await publishedTest('late')) !== undefined);
  });

  it('starts and stops a test at the scheduled times', async () => {
    const startAt = Date.now() + 2000;
    await apply(test('timed', { status: 'draft', startAt: new Date(startAt).toISOString() }));
    await waitFor('the start', async () => (await publishedTest('timed')) !== undefined);
    expect(Date.now()).toBeGreaterThanOrEqual(startAt);
    const stopAt = Date.now() + 1000;
    await apply({ key: 'timed', stopAt });
    await waitFor('the stop', async () => (await publishedTest('timed')) === undefined);
    expect(Date.now()).toBeGreaterThanOrEqual(stopAt);
    const { stdout } = await switchyard(shop.server, 'export', '--format', 'json');
    const [exported] = JSON.parse(stdout).properties;
    expect(exported.splitTests.at(-1)).toMatchObject({
      key: 'timed',
      status: 'stopped',
      startAt: new Date(startAt).toISOString(),
      stopAt: new Date(stopAt).toISOString(),
    });
  });

  it('a server can restart with the same file after the schedule has run', async () => {
    const provision = sampleWith({
      splitTests: [
        test('started', { status: 'draft', startAt: 1000 }),
        test('over', { status: 'running', stopAt: 1000 }),
      ],
    });
    let restarted = await openShop({ provision });
    const { dataDir } = restarted.server;
    await waitFor('the start', async () => (await publishedTest('started', restarted)) !== undefined);
    await waitFor('the stop', async () => (await publishedTest('over', restarted)) === undefined);
    expect(await restarted.server.stop()).toBe(0);
    restarted = await openShop({ provision, dataDir });
    expect(await publishedTest('started', restarted)).toMatchObject({ phase: 1 });
    expect(await publishedTest('over', restarted)).toBeUndefined();
    await closeShop(restarted);
  });
});
