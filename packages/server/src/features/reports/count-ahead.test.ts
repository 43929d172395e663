import { expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { SplitTestQuery } from '../../events/store/split-test-queries.ts';
import { CountAhead } from './count-ahead.ts';

const MINUTE = 60_000;

const splitTest = (key: string, status: string) => ({
  id: key,
  key,
  status,
  winner: null,
  unit: 'visitor',
  attributionDays: 0,
  smallestEffect: null,
  plannedVisitors: null,
  variations: [],
  goals: [],
  guardrails: [],
  phases: [],
});

const property = (id: string, ...splitTests: unknown[]) =>
  ({
    id,
    statistics: { cuped: false, winsorize: null, stratify: [] },
    goals: [],
    metrics: [],
    splitTests,
    flags: [],
  }) as unknown as PropertyConfiguration;

function start(...properties: PropertyConfiguration[]) {
  const counted: string[] = [];
  const state = { now: 1000, costMs: 0, fails: false, properties };
  const job = new CountAhead({
    eventStore: {
      countAhead: async ({ propertyId, splitTestKey }: SplitTestQuery) => {
        state.now += state.costMs;
        counted.push(`${propertyId}/${splitTestKey}`);
        if (state.fails) throw new Error('unavailable');
      },
    },
    properties: () => state.properties,
    clock: () => state.now,
  });
  /** The tests that are counted within this time. */
  const within = async (milliseconds: number) => {
    for (const end = state.now + milliseconds; state.now < end; state.now += 1000) await job.run();
    return counted.splice(0);
  };
  return { state, within, startAgain: () => job.startAgain() };
}

test('counts running tests soon after the start and every 15 minutes, and no others', async () => {
  const shop = property(
    'shop',
    splitTest('a', 'running'),
    splitTest('b', 'draft'),
    splitTest('c', 'running'),
  );
  const { within } = start(shop, property('blog', splitTest('e', 'running'), splitTest('d', 'stopped')));
  expect(await within(9000)).toEqual([]);
  expect(await within(5000)).toEqual(['shop/a', 'shop/c', 'blog/e']);
  expect(await within(14 * MINUTE)).toEqual([]);
  expect(await within(MINUTE)).toEqual(['shop/a', 'shop/c', 'blog/e']);
});

test('takes a fifth of the time at most, and does not repeat a failure at once', async () => {
  const { state, within } = start(property('shop', splitTest('a', 'running'), splitTest('b', 'running')));
  Object.assign(state, { costMs: 5000, fails: true });
  await expect(within(20_000)).rejects.toThrow('unavailable');
  state.fails = false;
  expect(await within(19_000)).toEqual(['shop/a']);
  expect(await within(20_000)).toEqual(['shop/b']);
  expect(await within(10 * MINUTE)).toEqual([]);
});

test('counts a changed test and everything after an erasure at once', async () => {
  const goals = [{ id: 'signup', kind: 'count' }];
  const shop = (...outcomes: string[]) =>
    property('shop', { ...splitTest('a', 'running'), goals: outcomes }, splitTest('b', 'running'));
  const withGoals = (it: PropertyConfiguration) => ({ ...it, goals }) as unknown as PropertyConfiguration;
  const { state, within, startAgain } = start(withGoals(shop()));
  expect(await within(MINUTE)).toEqual(['shop/a', 'shop/b']);
  state.properties = [withGoals(shop())];
  expect(await within(MINUTE)).toEqual([]);
  state.properties = [withGoals(shop('signup'))];
  expect(await within(MINUTE)).toEqual(['shop/a']);
  startAgain();
  expect(await within(MINUTE)).toEqual(['shop/a', 'shop/b']);
  expect(await within(MINUTE)).toEqual([]);
});

test('counts measured rules that run, too', async () => {
  const definition = { hashSeed: 'f:r', variations: [], unit: 'user' };
  const phase = { number: 1, startedAt: 0, endedAt: null, reasons: ['started'], definition };
  const flag = (key: string, enabled: boolean) => ({
    key,
    configurations: [
      {
        id: `cfg_${key}`,
        environmentId: 'production',
        enabled,
        rules: [{ id: 'r', rollout: { percentage: 50 }, measure: { goals: [] } }],
        measured: [{ ruleId: 'r', measure: { goals: [] }, winner: null, phases: [phase] }],
      },
    ],
  });
  const shop = {
    ...property('shop', splitTest('a', 'running')),
    flags: [flag('on', true), flag('off', false)],
  };
  const { within } = start(shop as unknown as PropertyConfiguration);
  const counted = await within(60_000);
  expect(counted.sort()).toEqual(['shop/a', 'shop/flag:on/production/r']);
});
