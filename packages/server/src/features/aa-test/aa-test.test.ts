import { assign } from '@switchyard/core/evaluation/assignment';
import { type AaRound, aaRound, aaTestOf } from '@switchyard/core/lifecycle/aa-test';
import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { OTHER_PUBLIC_KEY, OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { startServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, test } from 'vitest';

const HASH_SEED = 'seed-of-the-shop';
/** Always the same one, so that visitors are always assigned alike. */
const ROUND = aaRound(800);
const BATCH = 50;

const clock = new AdjustableClock();
let shop: Shop;
afterEach(() => closeShop(shop));

/** Noon, far from the midnights at which days and rounds end. */
const goTo = (day: number) => clock.set(ROUND.startedAt + day * DAY_MS + 12 * HOUR_MS - Date.now());

async function open(fields: Record<string, unknown> = {}): Promise<void> {
  goTo(0);
  const provision = sampleWith({ hashSeed: HASH_SEED, ...fields });
  shop = await openShop({ provision, wrap: clock.wrap });
}

async function restart(): Promise<void> {
  const { dataDir } = shop.server;
  await shop.server.stop();
  shop = new Shop(await startServer({ dataDir, wrap: clock.wrap }));
}

interface Visitor {
  id: string;
  side: 'a' | 'b';
  /** Number among the visitors of the same side. */
  number: number;
}

/** Visitors and the variation that the SDK gives them. */
function visitorsOf(round: AaRound, prefix: string, count: number): Visitor[] {
  const numbers = { a: 0, b: 0 };
  const assigned = aaTestOf({ hashSeed: HASH_SEED }, round);
  return Array.from({ length: count }, (_, index) => {
    const id = `${prefix}-${index}`;
    const side = assigned.variations[assign(assigned, id).index]!.key as 'a' | 'b';
    return { id, side, number: numbers[side]++ };
  });
}

const visitorCounts = (visitors: readonly Visitor[]) =>
  ['a', 'b'].map((side) => visitors.filter((visitor) => visitor.side === side).length);

/** Sends a session of each visitor, an exposure if requested, and a sign-up of some. */
async function visit(
  visitors: readonly Visitor[],
  converts: (visitor: Visitor) => boolean,
  expose?: (visitor: Visitor) => object,
): Promise<void> {
  const requests = visitors.flatMap((visitor) => {
    const sessionId = `s-${visitor.id}`;
    return [
      () => shop.collect({ sessionId, visitorId: visitor.id }),
      ...(expose ? [() => shop.expose({ splitTestKey: 'aa-test', sessionId, ...expose(visitor) })] : []),
      ...(converts(visitor) ? [() => shop.increment({ goalId: 'signup', sessionId })] : []),
    ];
  });
  for (let at = 0; at < requests.length; at += BATCH) {
    await accepted(...requests.slice(at, at + BATCH).map((request) => request()));
  }
}

const everyThird = ({ number }: Visitor) => number % 3 === 0;

/** The response once the latest evaluation covers the day. */
const evaluated = (day: number) =>
  waitFor(`the verdict on day ${day}`, async () => {
    const body = await shop.aaTest();
    return body.current?.at === ROUND.startedAt + (day + 1) * DAY_MS && body;
  });

const config = async () => (await shop.get('/v1/split-testing/config', {}, PUBLIC_KEY)).body;
const publishedTest = async () =>
  (await config()).tests.find(({ key }: { key: string }) => key === 'aa-test');

describe('without exposures', () => {
  test('a sound site collects a history of sound days and rounds, also across a restart', async () => {
    await open();
    expect(await shop.aaTest()).toEqual({
      mode: 'assignment',
      round: ROUND,
      current: null,
      rounds: [],
      history: [],
      summary: 'No round has finished yet.',
    });
    const visitors = visitorsOf(ROUND, 'first', 300);
    await visit(visitors, everyThird);

    goTo(1);
    const { current, rounds } = await evaluated(0);
    const counts = visitorCounts(visitors);
    expect(current).toMatchObject({
      round: ROUND.number,
      mode: 'assignment',
      verdict: 'sound',
      visitors: counts,
      goals: [
        { goalId: 'signup', pValue: 1 },
        { goalId: 'revenue', pValue: null },
      ],
    });
    expect(current.words).toMatch(/^Sound: 300 visitors were split .* the goal does not differ; 1 goal has/);
    expect(rounds).toEqual([
      {
        ...ROUND,
        finished: false,
        verdict: 'sound',
        words: current.words,
        visitors: counts,
        alarmDays: 0,
      },
    ]);

    await restart();
    expect((await shop.aaTest()).history).toHaveLength(1);
    // Visitors who come again count once.
    await visit(visitors.slice(0, 20), () => false);
    goTo(2);
    const second = await evaluated(1);
    expect(second.history.map(({ visitors: each }: { visitors: number[] }) => each)).toEqual([
      counts,
      counts,
    ]);

    goTo(28);
    await evaluated(27);
    await visit(visitorsOf(aaRound(ROUND.number + 1), 'second', 10), everyThird);
    goTo(29);
    const last = await evaluated(28);
    expect(last.summary).toBe('1 of 1 finished round was sound.');
    expect(last.rounds).toMatchObject([
      { number: ROUND.number + 1, finished: false, verdict: 'collecting' },
      { number: ROUND.number, finished: true, verdict: 'sound', visitors: counts },
    ]);
    expect(last.history.map(({ round }: { round: number }) => round - ROUND.number)).toEqual([1, 0, 0, 0]);
  });

  test('conversions that one side loses raise an alarm', async () => {
    await open();
    await visit(visitorsOf(ROUND, 'v', 400), ({ side, number }) => number % (side === 'a' ? 2 : 10) === 0);
    goTo(1);
    const { current, rounds } = await evaluated(0);
    expect(current.verdict).toBe('alarm');
    expect(current.words).toMatch(
      /^Alarm: "Sign-ups" differs between two groups that are treated alike: \d\d % and 1\d % of the visitors converted \(p < 0\.001\)\. Check that every conversion .*By chance alone, at most 5 % of rounds/,
    );
    expect(rounds).toMatchObject([{ verdict: 'alarm', alarmDays: 1 }]);
    await waitFor('the metric and the warning', async () => {
      const { text } = await shop.server.send('GET', '/metrics');
      const isLogged = shop.server.log.includes('A/A test: Alarm: \\"Sign-ups\\" differs');
      return isLogged && text.includes('switchyard_aa_test_alarms 1\n');
    });
  });

  test('a property has no verdicts while the test is switched off', async () => {
    await open({ aaTest: 'off' });
    await visit(visitorsOf(ROUND, 'v', 20), everyThird);
    const session = { propertyId: 'other', sessionId: 's', visitorId: 'v' };
    await shop.server.call('POST', '/v1/sessions/collect', { key: OTHER_PUBLIC_KEY, body: session });
    goTo(1);
    // Properties are evaluated in order, so `shop` has been skipped when `other` has its verdict.
    await waitFor('the verdict of the other property', async () => {
      const path = '/v1/split-testing/aa-test?propertyId=other';
      const { body } = await shop.server.call('GET', path, { key: OTHER_SECRET_KEY });
      return body.current?.verdict === 'collecting';
    });
    expect(await shop.aaTest()).toMatchObject({ mode: 'off', current: null, history: [] });
    expect(await publishedTest()).toBeUndefined();
    const exposure = { splitTestKey: 'aa-test', variationKey: 'a', sessionId: 's' };
    expect((await shop.expose(exposure)).status).toBe(404);
    await applyProvision(shop.server, { properties: [{ id: 'shop', aaTest: 'assignment' }] });
    expect((await evaluated(0)).current).toMatchObject({ mode: 'assignment', verdict: 'collecting' });
  });
});

describe('with exposures', () => {
  test('the split test aa-test is published for each round, and its exposures are counted', async () => {
    await open();
    expect(await publishedTest()).toBeUndefined();
    await applyProvision(shop.server, { properties: [{ id: 'shop', aaTest: 'exposures' }] });
    const published = await waitFor('the split test', publishedTest);
    expect(published).toEqual({
      key: 'aa-test',
      id: 'aa-test',
      type: 'id',
      status: 'running',
      trafficAllocation: 100,
      hashSeed: `${HASH_SEED}:aa-test:${ROUND.number}`,
      variations: ['a', 'b'].map((key) => ({ key, weight: 50, value: key })),
      phase: ROUND.number,
    });
    const visitors = visitorsOf(ROUND, 'v', 300);
    const exposureOf = ({ side }: Visitor) => ({ variationKey: side, phase: published.phase });
    await visit(visitors, everyThird, exposureOf);
    // These never asked the SDK for the test.
    await visit(visitorsOf(ROUND, 'unexposed', 30), everyThird);

    goTo(1);
    const { current } = await evaluated(0);
    expect(current).toMatchObject({
      mode: 'exposures',
      round: ROUND.number,
      verdict: 'sound',
      visitors: visitorCounts(visitors),
    });

    goTo(28);
    const next = await publishedTest();
    expect(next.phase).toBe(ROUND.number + 1);
    expect(next.hashSeed).toBe(`${HASH_SEED}:aa-test:${ROUND.number + 1}`);
    // A page with a cached definition sends the phase of the last round, which is then evaluated with it.
    await visit([{ id: 'late', side: 'a', number: 1 }], () => false, exposureOf);
    await visit(
      [{ id: 'new', side: 'b', number: 1 }],
      () => false,
      () => ({
        variationKey: 'b',
        phase: next.phase,
      }),
    );
    goTo(29);
    const { history } = await evaluated(28);
    expect(history[0]).toMatchObject({ round: ROUND.number + 1, verdict: 'collecting', visitors: [0, 1] });
  });

  test('pages that show or record the wrong variation raise an alarm', async () => {
    await open({ aaTest: 'exposures' });
    const visitors = visitorsOf(ROUND, 'v', 300);
    await visit(visitors, everyThird, ({ side, number }) => ({
      variationKey: number % 3 === 0 ? 'a' : side,
      phase: ROUND.number,
    }));
    goTo(1);
    const { current } = await evaluated(0);
    expect(current.verdict).toBe('alarm');
    expect(current.words).toMatch(
      /^Alarm: 300 visitors were split 6\d\.\d % to 3\d\.\d % instead of 50 % to 50 %/,
    );
    expect(current.words).toContain('Check that pages send the exposures of both variations');
  });
});
