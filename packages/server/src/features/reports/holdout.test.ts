import { analyse } from '@switchyard/core/stats/analysis';
import { HOUR_MS } from '@switchyard/core/time';
import { OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterEach, describe, expect, it } from 'vitest';

const PATH = '/v1/split-testing/holdout';
const HASH_SEED = 'seed-of-the-shop';
const SEED = 20261118;
const CRAWLER = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
const BATCH = 100;

type Body = TestResponse['body'];

let shop: Shop;
afterEach(() => closeShop(shop));

const report = async (): Promise<Body> => bodyOf(await shop.get(PATH));

/** MurmurHash3 (32 bits, seed 0) from its definition, as a point from 0 to 100; shares no code with the server. */
function pointOf(text: string): number {
  const bytes = [...Buffer.from(text)];
  const mask = 0xffffffffn;
  const times = (a: bigint, b: bigint) => (a * b) & mask;
  const rotate = (a: bigint, by: bigint) => ((a << by) | (a >> (32n - by))) & mask;
  const scrambled = (part: number[]) => {
    const block = part.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
    return times(rotate(times(block, 0xcc9e2d51n), 15n), 0x1b873593n);
  };
  const whole = bytes.length - (bytes.length % 4);
  let hash = 0n;
  for (let at = 0; at < whole; at += 4) {
    hash = (times(rotate(hash ^ scrambled(bytes.slice(at, at + 4)), 13n), 5n) + 0xe6546b64n) & mask;
  }
  hash ^= scrambled(bytes.slice(whole)) ^ BigInt(bytes.length);
  hash = times(hash ^ (hash >> 16n), 0x85ebca6bn);
  hash = times(hash ^ (hash >> 13n), 0xc2b2ae35n);
  return (Number(hash ^ (hash >> 16n)) / 2 ** 32) * 100;
}

const holdoutPoint = (visitorId: string) => pointOf(`holdout:${HASH_SEED}:${visitorId}`);

async function sendAll(requests: readonly (() => Promise<TestResponse>)[]): Promise<void> {
  for (let at = 0; at < requests.length; at += BATCH) {
    await accepted(...requests.slice(at, at + BATCH).map((request) => request()));
  }
}

const GOALS = [
  { id: 'complaint', name: 'Complaints', kind: 'count', lowerIsBetter: true },
  { id: 'rare', name: 'Rare', kind: 'count' },
];

const open = (fields: object = {}, env = {}) =>
  openShop({ provision: sampleWith({ hashSeed: HASH_SEED, goals: GOALS, ...fields }), env });

interface Outcome {
  heldOut: boolean;
  signups: number;
  complaints: number;
  rare: number;
  dollars: number;
}

/** Visitors with sessions and conversions; what they did, as the list from which the test counts. */
async function visit(count: number, random: () => number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const requests: (() => Promise<TestResponse>)[] = [];
  const conversions: (() => Promise<TestResponse>)[] = [];
  for (let index = 0; index < count; index++) {
    const visitorId = `visitor-${index}`;
    const heldOut = holdoutPoint(visitorId) < 20;
    const sessions = [`s-${index}`, ...(random() < 0.2 ? [`s-${index}-again`] : [])];
    for (const sessionId of sessions) requests.push(() => shop.collect({ sessionId, visitorId }));
    const reach = (goalId: string, chance: number) => {
      if (random() >= chance) return 0;
      const sessionId = sessions.at(-1)!;
      conversions.push(() => shop.increment({ goalId, sessionId }));
      return 1;
    };
    let dollars = 0;
    if (random() < 0.2) {
      const amount = 1 + Math.floor(random() * 100);
      const refund = random() < 0.1 ? amount + 5 : 0;
      dollars = amount - refund;
      const sale = { goalId: 'revenue', sessionId: sessions[0]!, amount };
      conversions.push(() => shop.increment(sale));
      if (refund > 0) conversions.push(() => shop.decrement({ ...sale, amount: refund }));
    }
    outcomes.push({
      heldOut,
      signups: reach('signup', heldOut ? 0.1 : 0.25),
      complaints: reach('complaint', heldOut ? 0.1 : 0.3),
      rare: reach('rare', 0.005),
      dollars,
    });
  }
  await sendAll(requests);
  await sendAll(conversions);
  return outcomes;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe('GET /v1/split-testing/holdout', () => {
  it(`compares held-out visitors with everybody else on every goal (seed ${SEED})`, async () => {
    shop = await open({ holdout: 20 });
    const outcomes = await visit(2000, mulberry32(SEED));
    const groups = [outcomes.filter((it) => it.heldOut), outcomes.filter((it) => !it.heldOut)];
    // None of these count: crawlers, sessions without a visitor, and visitors who only came before the holdout.
    await sendAll(
      Array.from({ length: 40 }, (_, index) => [
        () => shop.collect({ sessionId: `bot-${index}`, visitorId: `crawler-${index}` }, CRAWLER),
        () => shop.increment({ goalId: 'signup', sessionId: `bot-${index}` }),
        () => shop.increment({ goalId: 'signup', sessionId: `nobody-${index}` }),
      ]).flat(),
    );
    const before = Date.now() - HOUR_MS;
    const early = [{ type: 'pageview', url: '/', timestamp: before }];
    await accepted(shop.collect({ sessionId: 'early', visitorId: 'early', events: early }));

    const body = await report();
    expect(body).toMatchObject({
      percentage: 20,
      share: 1,
      method: { engine: 'sequential', alpha: 0.05, correction: 'holm' },
      groups: [
        { key: 'held-out', weight: 20, visitors: groups[0]!.length },
        { key: 'others', weight: 80, visitors: groups[1]!.length },
      ],
      health: { healthy: true, problems: [] },
    });
    const goal = (goalId: string) => body.goals.find((it: Body) => it.goalId === goalId);
    const converted = (member: 'signups' | 'complaints' | 'rare') =>
      groups.map((group) => sumOf(group.map((it) => it[member])));
    for (const [goalId, member] of [
      ['signup', 'signups'],
      ['complaint', 'complaints'],
      ['rare', 'rare'],
    ] as const) {
      expect(goal(goalId).counts.map((it: Body) => it.converted)).toEqual(converted(member));
    }
    expect(goal('revenue').counts).toMatchObject(
      groups.map((group) => ({
        visitors: group.length,
        converted: group.filter(({ dollars }) => dollars > 0).length,
        amount: sumOf(group.map(({ dollars }) => dollars)),
      })),
    );

    const [heldOut, others] = goal('signup').metrics[0].variations;
    const [rateBefore, rateAfter] = converted('signups').map((n, index) => n / groups[index]!.length);
    expect([heldOut.mean, others.mean]).toEqual([rateBefore, rateAfter]);
    expect(others.relative.estimate).toBeCloseTo(rateAfter! / rateBefore! - 1, 12);
    const [, expected] = analyse({
      method: 'sequential',
      metric: 'proportion',
      control: '0',
      variations: converted('signups').map((sum, index) => ({
        key: String(index),
        n: groups[index]!.length,
        sum,
        sumSquares: sum,
      })),
    }).variations;
    expect(others).toMatchObject({ pValue: expected!.pValue, absolute: { low: expected!.absolute!.low } });
    expect(others.adjustedPValue).toBeGreaterThan(others.pValue);

    const findings = Object.fromEntries(body.goals.map((it: Body) => [it.goalId, it.finding]));
    expect(findings).toEqual({
      signup: 'better',
      complaint: 'worse',
      revenue: 'unclear',
      rare: 'collecting',
    });
    expect(goal('signup').words).toMatch(
      /^Visitors outside of the holdout convert \d+ % more, between \+\d+ % and \+\d+ %\.$/,
    );
    expect(goal('revenue').words).toMatch(/ revenue per visitor, .*, which could still be chance\.$/);
    expect(goal('rare').words).toMatch(/^Too early: \d+ of about 125 converted visitors/);
    expect(body.summary).toMatch(
      /^Visitors outside of the holdout do better on Sign-ups \(\+\d+ %\) and worse on Complaints \(\+\d+ %\)\. 1 other goal may differ by chance alone; 1 has too few conversions to compare\.$/,
    );
  });

  it('has no comparison without a holdout, and says how to get one', async () => {
    shop = await open();
    await accepted(shop.collect({ sessionId: 's', visitorId: 'v' }));
    expect(await report()).toMatchObject({ percentage: 0, since: null, groups: [], goals: [], winners: [] });
    expect((await report()).summary).toMatch(
      /^This property has no holdout\. Set its holdout to a percentage/,
    );
  });

  it('counts from the moment since which the visitors are held out', async () => {
    shop = await open({}, WITH_OWNER);
    const manager = new PropertyManager(await ownerBrowser(shop.server));
    const set = async (settings: object) => {
      const from = await nextMillisecond();
      bodyOf(await manager.patch('', settings, '*'));
      const { since } = await report();
      return { since, isNew: since >= from && since <= Date.now() };
    };
    const first = await set({ holdout: 40 });
    expect(first.isNew).toBe(true);
    expect(await set({ name: 'Renamed' })).toEqual({ since: first.since, isNew: false });
    const ids = Array.from({ length: 300 }, (_, index) => `visitor-${index}`);
    await sendAll(ids.map((visitorId) => () => shop.collect({ sessionId: `s-${visitorId}`, visitorId })));

    // Released visitors saw no test before, and tests since then: they are in neither group.
    expect(await set({ holdout: 10 })).toEqual({ since: first.since, isNew: false });
    const inRange = (low: number, high: number) =>
      ids.filter((id) => holdoutPoint(id) >= low && holdoutPoint(id) < high).length;
    expect((await report()).groups).toEqual([
      { key: 'held-out', weight: 10, visitors: inRange(0, 10) },
      { key: 'others', weight: 60, visitors: inRange(40, 100) },
    ]);

    const larger = await set({ holdout: 20 });
    expect(larger.isNew).toBe(true);
    expect((await report()).groups.map(({ visitors }: Body) => visitors)).toEqual([0, 0]);
    expect((await set({ hashSeed: 'another' })).isNew).toBe(true);
    expect(await set({ holdout: 0 })).toEqual({ since: null, isNew: false });
    expect((await set({ holdout: 20 })).isNew).toBe(true);
    // Not a setting.
    expect((await manager.patch('', { holdoutPeriod: { since: 1, largest: 20 } }, '*')).status).toBe(400);
    expect(await manager.read('')).not.toHaveProperty('holdoutPeriod');
  });

  it('lists the tests that ended with a winner since then', async () => {
    const test = (key: string) => ({
      key,
      type: 'id',
      status: 'running',
      variations: ['control', 'b'].map((name) => ({ key: name, weight: 50, value: name })),
    });
    shop = await open({ splitTests: ['old', 'won', 'lost', 'open'].map(test) }, WITH_OWNER);
    const manager = new PropertyManager(await ownerBrowser(shop.server));
    const stop = async (key: string, fields: object) =>
      bodyOf(await manager.patch(`/split-tests/${key}`, { status: 'stopped', ...fields }, '*'));
    await stop('old', { winner: 'b' });
    await nextMillisecond();
    bodyOf(await manager.patch('', { holdout: 5 }, '*'));
    const decision = { outcome: 'ship', reason: 'Sells more' };
    const { decision: recorded } = await stop('won', { name: 'The winner', winner: 'b', decision });
    await stop('lost', {});
    expect((await report()).winners).toEqual([
      { splitTestKey: 'won', name: 'The winner', winner: 'b', decidedAt: recorded.decidedAt },
    ]);
  });

  it('says that the visitors are not split as planned, and draws no conclusion', async () => {
    shop = await open({ holdout: 50 });
    const ids = Array.from({ length: 900 }, (_, index) => `visitor-${index}`);
    const heldOut = ids.filter((id) => holdoutPoint(id) < 50).slice(0, 150);
    const others = ids.filter((id) => holdoutPoint(id) >= 50);
    await sendAll(
      [...heldOut, ...others].map((visitorId) => () => shop.collect({ sessionId: visitorId, visitorId })),
    );
    const { health, goals, summary } = await report();
    expect(health).toMatchObject({ healthy: false, problems: [{ problem: 'sample-ratio-mismatch' }] });
    expect(summary).toMatch(
      /^The visitors are not split as planned: 150 of \d\d\d \(2\d %\) are in the holdout instead of about \d\d\d \(50 %\), which happens by chance practically never\. Check that visitors keep their id/,
    );
    expect(new Set(goals.map(({ finding }: Body) => finding))).toEqual(new Set(['unhealthy']));
  });

  it('is for the secret key of the property and for its members', async () => {
    shop = await open({ holdout: 5 }, WITH_OWNER);
    const { browser } = await newMember(await ownerBrowser(shop.server), 'viewer@shop.example', 'viewer');
    expect(bodyOf(await browser.get(`${PATH}?propertyId=shop`)).percentage).toBe(5);
    expectProblem(await browser.get(`${PATH}?propertyId=other`), { status: 404, code: 'not_found' });
    expectProblem(await shop.get(PATH, {}, OTHER_SECRET_KEY), { status: 403, code: 'wrong_property' });
    expect((await shop.get(PATH, {}, PUBLIC_KEY)).status).toBe(403);
    expect((await shop.server.call('GET', `${PATH}?propertyId=shop`)).status).toBe(401);
  });
});
