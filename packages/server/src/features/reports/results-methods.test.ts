import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Body = TestResponse['body'];

const FINISHED = Array.from({ length: 8 }, (_, index) => `finished-${index}`);

const splitTest = (key: string, more: object = {}) => ({
  key,
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  goals: ['joined'],
  ...more,
});

let shop: Shop;
beforeAll(async () => {
  const splitTests = [
    splitTest('planned', {
      plannedVisitors: 400,
      guardrails: [{ goalId: 'complaints', maxHarm: 0.5 }],
    }),
    splitTest('segmented'),
    splitTest('learning'),
    ...FINISHED.map((key) => splitTest(key)),
  ];
  const goals = ['joined', 'complaints'].map((id) => ({ id, kind: 'count' }));
  shop = await openShop({ provision: sampleWith({ splitTests, goals }) });
});
afterAll(() => closeShop(shop));

interface Visits {
  visitors: number;
  converted: number;
  goalId?: string;
  attributes?: object;
}

let sessions = 0;

/** New visitors of a variation, some of whom convert. */
async function visit(key: string, variation: string, { visitors, converted, ...more }: Visits) {
  const ids = Array.from({ length: visitors }, () => `m-${sessions++}`);
  const { goalId = 'joined', attributes } = more;
  await accepted(
    shop.expose(
      ...ids.map((sessionId) => ({
        splitTestKey: key,
        variationKey: variation,
        sessionId,
        ...(attributes && { attributes }),
      })),
    ),
  );
  await accepted(...ids.slice(0, converted).map((sessionId) => shop.increment({ goalId, sessionId })));
}

const primaryOf = (results: Body) => results.goals[0].metrics[0].variations[1];
const setStatistics = (statistics: object) =>
  applyProvision(shop.server, { properties: [{ id: 'shop', statistics }] });

describe('after the planned number of visitors', () => {
  it('the answer stays as it was at that moment, and guardrails go on', async () => {
    for (const variation of ['control', 'b']) {
      await visit('planned', variation, { visitors: 200, converted: 40 });
    }
    const before = await shop.results('planned', { fresh: 'true' });
    expect(before.notes).toEqual([]);
    expect(before.verdict).toMatchObject({ decision: 'no-difference', reason: 'planned-end' });
    // Later visitors would make the variation look much better.
    await visit('planned', 'control', { visitors: 100, converted: 0 });
    await visit('planned', 'b', { visitors: 100, converted: 90 });
    await visit('planned', 'b', { visitors: 40, converted: 20, goalId: 'complaints' });
    const after = await shop.results('planned', { fresh: 'true', include: 'series', by: 'country' });
    expect(after.variations.map(({ visitors }: Body) => visitors)).toEqual([300, 340]);
    expect(after.notes).toMatchObject([{ note: 'planned-end', visitors: 400, at: expect.any(Number) }]);
    expect(after.goals[0]).toEqual(before.goals[0]);
    expect(after.verdict).toMatchObject({ decision: 'no-difference', visitors: 400 });
    expect(after.goals[1].counts[1]).toMatchObject({ visitors: 340, converted: 20 });
    // The other parts are about the same visitors.
    expect(after.series.at(-1).variations.map(({ visitors }: Body) => visitors)).toEqual([200, 200]);
    expect(after.breakdown.segments[0].variations.map(({ visitors }: Body) => visitors)).toEqual([200, 200]);
  });

  it('a bundle verifies, with the counts of that moment', async () => {
    const query = { splitTestKey: 'planned', format: 'bundle' };
    const { body } = await shop.get('/v1/split-testing/results/export', query);
    expect(body.input.plannedEnd.groups).not.toEqual(body.input.groups);
    const file = join(shop.server.dataDir, 'planned.json');
    writeFileSync(file, JSON.stringify(body));
    expect(await switchyard(shop.server, 'verify', file)).toMatchObject({ code: 0 });
    body.input.plannedEnd.groups[0].visitors += 1;
    writeFileSync(file, JSON.stringify(body));
    expect(await switchyard(shop.server, 'verify', file)).toMatchObject({ code: 1 });
  });
});

describe('a breakdown', () => {
  const effects = async (de: number, fr: number, us: number) => {
    for (const [country, converted] of Object.entries({ DE: de, FR: fr, US: us })) {
      const attributes = { country };
      await visit('segmented', 'control', { visitors: 400, converted: 40, attributes });
      await visit('segmented', 'b', { visitors: 400, converted, attributes });
    }
    return (await shop.results('segmented', { fresh: 'true', by: 'country' })).breakdown;
  };

  it('says that no group differs, or which one does', async () => {
    const alike = await effects(44, 38, 42);
    expect(alike).toMatchObject({ differences: [] });
    expect(alike.words).toBe(
      'No group differs: the effect could be the same in all 3 groups. Differences between their figures are within chance.',
    );
    const { differences, words } = await effects(160, 40, 40);
    expect(differences[0]).toMatchObject({ value: 'DE', variation: 'b', unit: 'relative' });
    expect(differences[0].effect).toBeGreaterThan(1);
    expect(differences[0].effectElsewhere).toBeLessThan(0.2);
    expect(words).toMatch(/^The effect differs from the rest, after a correction for 3 groups, in "DE"/);
  });
});

describe('the Bayesian method', () => {
  it('has a weak prior at first, and learns it from eight finished tests', async () => {
    await setStatistics({ engine: 'bayesian' });
    for (const variation of ['control', 'b']) {
      await visit('learning', variation, { visitors: 200, converted: variation === 'b' ? 60 : 40 });
    }
    const weak = await shop.results('learning', { fresh: 'true' });
    expect(weak.method.prior).toEqual({ mean: 0, sd: 0.1 });
    for (const [index, key] of FINISHED.entries()) {
      await visit(key, 'control', { visitors: 100, converted: 30 });
      await visit(key, 'b', { visitors: 100, converted: 30 + (index % 3) - 1 });
    }
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', splitTests: FINISHED.map((key) => ({ key, status: 'stopped' })) }],
    });
    await waitFor('the stop', async () => (await shop.results('finished-7')).status === 'stopped');
    const learnt = await shop.results('learning', { fresh: 'true' });
    expect(learnt.method.prior).toMatchObject({ mean: 0, tests: 8 });
    // Tests that found nothing make a large effect less likely.
    expect(learnt.method.prior.sd).toBeLessThan(0.1);
    expect(primaryOf(learnt).relative.estimate).toBeLessThan(primaryOf(weak).relative.estimate);
    expect(primaryOf(learnt).chanceToBeat).toBeLessThan(primaryOf(weak).chanceToBeat);
  });

  it('uses the prior of the settings if there is one', async () => {
    await setStatistics({ engine: 'bayesian', prior: { mean: 0.02, sd: 0.3 } });
    const own = await shop.results('learning', { fresh: 'true' });
    expect(own.method.prior).toEqual({ mean: 0.02, sd: 0.3 });
  });
});

it('a plan says how many visitors guardrails need', async () => {
  await setStatistics({ engine: 'auto', prior: null });
  const plan = (guardrails: string) =>
    shop.get('/v1/split-testing/plan', { goalId: 'joined', smallestEffect: '0.1', guardrails });
  const { body } = await plan('complaints:0.01,joined');
  expect(body.guardrails).toMatchObject([
    { goalId: 'complaints', maxHarm: 0.01 },
    { goalId: 'joined', maxHarm: 0.1 },
  ]);
  expect(body.guardrails[0].visitors).toBeGreaterThan(body.visitors);
  expect(body.words).toMatch(/To exclude harm beyond 1 %, the guardrail "complaints" needs [\d,]+ visitors/);
  expect((await plan('nothing')).status).toBe(404);
  expect((await plan('complaints:0')).status).toBe(400);
  expect((await plan('complaints:x')).status).toBe(400);
});
