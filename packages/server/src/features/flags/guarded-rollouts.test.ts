import { accepted, closeShop, openShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { startServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SEED = 20_261_123;
const PAST = '2026-01-01T00:00:00Z';
const LATER = ['2099-01-01T00:00:00Z', '2099-01-02T00:00:00Z'] as const;
const TIMEOUT = { timeout: 60_000 };

const flag = (key: string, rollout: object, environment = 'production') => ({
  key,
  type: 'boolean',
  defaultValue: false,
  environments: { [environment]: { enabled: true, rules: [{ id: 'all', value: true, rollout }] } },
});
const guarded = (percentage: number, schedule: object[], more: object = {}) => ({
  percentage,
  schedule,
  guardrails: [{ goalId: 'signup', maxHarm: 0.02 }],
  ...more,
});
const step = (percentage: number, at: string) => ({ at, percentage });

const FLAGS = [
  flag('harmful', guarded(50, [step(80, LATER[0])])),
  flag('harmless', guarded(50, [step(60, PAST), step(100, LATER[0])], { minVisitors: 100 })),
  flag('quiet', guarded(20, [step(60, PAST)], { maxWaitDays: 0 })),
  flag('patient', guarded(20, [step(60, PAST)])),
  flag('empty', guarded(0, [step(10, PAST), step(20, LATER[0])])),
  flag('shielded', guarded(50, [step(80, LATER[0])]), 'live'),
];

let shop: Shop;
let manager: PropertyManager;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  const environments = [{ id: 'live', protected: true }];
  shop = await openShop({
    provision: sampleWith({ flags: FLAGS, environments }),
    env: { ...WITH_OWNER, WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  const events = ['harm.stopped', 'rollout.stayed', 'schedule.executed'];
  bodyOf(await manager.put('/webhooks/rollouts', { url: receiver.url, events }), 201);
});
afterAll(async () => {
  await closeShop(shop);
  await receiver.close();
});

const rolloutOf = async (key: string, environment = 'production') =>
  (await manager.read(`/flags/${key}`)).environments[environment].rules[0].rollout;
/** A changed flag is looked at anew. */
const touch = async (key: string) =>
  bodyOf(await manager.patch(`/flags/${key}`, { description: `Version ${Math.random()}` }, '*'));
const historyOf = (key: string) => manager.history(`?entity=flag&key=${key}&actor=safe%20rollout`);
const report = async (flagKey: string, query: Record<string, string> = {}) => {
  const { status, body, text } = await shop.get('/v1/flags/rollout', { flagKey, ruleId: 'all', ...query });
  expect(status, text).toBe(200);
  return body;
};
const received = (type: string) =>
  receiver.received.map(({ body }) => JSON.parse(body)).filter((each) => each.type === type);

/** Visitors who convert more or less often inside of the rollout. */
async function visit(
  flagKey: string,
  visitors: number,
  rates: { inside: number; outside: number },
  environment = 'production',
) {
  const random = mulberry32(SEED);
  const people = Array.from({ length: visitors }, (_, index) => ({
    userId: `${flagKey}-${index}`,
    luck: random(),
  }));
  for (let at = 0; at < people.length; at += 100) {
    await Promise.all(
      people.slice(at, at + 100).map(async ({ userId, luck }) => {
        const { body, status, text } = await shop.evaluate({
          context: { userId },
          flagKeys: [flagKey],
          environment,
          record: true,
        });
        expect(status, text).toBe(200);
        if (luck >= rates[body.flags[flagKey].value === true ? 'inside' : 'outside']) return;
        await accepted(shop.collect({ sessionId: `s-${userId}`, visitorId: `v-${userId}`, userId }));
        await accepted(shop.increment({ goalId: 'signup', sessionId: `s-${userId}` }));
      }),
    );
  }
}

describe(`rollouts with guardrails (seed ${SEED})`, () => {
  it('go back when harm is proven, once, and say why', async () => {
    await visit('harmful', 700, { inside: 0.1, outside: 0.4 });
    await touch('harmful');
    await expect.poll(async () => (await rolloutOf('harmful')).percentage, TIMEOUT).toBe(0);
    expect(await rolloutOf('harmful')).toEqual({ percentage: 0 });
    const [entry, ...others] = await historyOf('harmful');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ via: 'monitoring', actor: { type: 'system', name: 'safe rollout' } });
    expect(entry.comment).toMatch(/^Rolled back from 50 % to 0 %\. Sign-ups got worse: 38 % → 13 %, /);
    const state = await report('harmful');
    expect(state).toMatchObject({ state: 'rolled-back', words: entry.comment, percentage: 0, next: null });
    expect(state.phases).toMatchObject([{ phase: 1, percentage: 50, action: 'roll-back' }]);
    await expect.poll(() => received('harm.stopped').length, TIMEOUT).toBeGreaterThan(0);
    const [{ data }] = received('harm.stopped');
    expect(data).toMatchObject({
      splitTest: null,
      measuredRule: { flagKey: 'harmful', environment: 'production', ruleId: 'all' },
      action: 'rolled-back',
      percentage: 0,
      phase: 1,
      harms: [{ variation: 'on', goals: [{ goalId: 'signup', role: 'guardrail', maxHarm: 0.02 }] }],
      words: entry.comment,
    });
  });

  it('go on without harm, and not twice at once', async () => {
    await visit('harmless', 400, { inside: 0.3, outside: 0.3 });
    await touch('harmless');
    await expect.poll(async () => (await rolloutOf('harmless')).percentage, TIMEOUT).toBe(60);
    const { schedule, guardrails } = await rolloutOf('harmless');
    expect(guardrails).toEqual([{ goalId: 'signup', maxHarm: 0.02 }]);
    expect(schedule).toHaveLength(1);
    expect(schedule[0].at).toBeGreaterThan(Date.parse(LATER[0]));
    // The step may have been made before the flag was touched.
    const comments = (await manager.history('?entity=flag&key=harmless')).map(
      ({ comment }: { comment: string | null }) => comment,
    );
    const steps = comments.filter((comment) => comment?.startsWith('Step to'));
    expect(steps).toEqual([
      expect.stringMatching(/^Step to 60 %\. No harm is proven with \d+ visitors inside\.$/),
    ]);
    const { state, phases } = await report('harmless');
    expect(state).toBe('running');
    expect(phases).toMatchObject([
      { percentage: 50, action: 'go' },
      { percentage: 60, action: 'wait' },
    ]);
  });

  it('compare everybody who comes back at the next percentage, also those who were outside before', async () => {
    await visit('harmless', 400, { inside: 0.3, outside: 0.3 });
    const visitors = async () => {
      const { visitorsInside, visitorsOutside } = (await report('harmless')).phases[1];
      return visitorsInside + visitorsOutside;
    };
    await expect.poll(visitors, TIMEOUT).toBe(400);
  });

  it('wait for data, and stay after the limit', async () => {
    expect(await report('patient')).toMatchObject({
      state: 'waiting',
      percentage: 20,
      next: { percentage: 60 },
      words: expect.stringContaining('Nobody has been recorded'),
    });
    await expect.poll(async () => (await rolloutOf('quiet')).schedule, TIMEOUT).toBeUndefined();
    expect(await rolloutOf('quiet')).toMatchObject({ percentage: 20, guardrails: expect.any(Array) });
    expect(await historyOf('quiet')).toHaveLength(1);
    expect(await report('quiet')).toMatchObject({ state: 'stayed', percentage: 20, next: null });
    expect((await rolloutOf('patient')).schedule).toHaveLength(1);
  });

  it('begin without a look if nobody has it yet', async () => {
    await expect.poll(async () => (await rolloutOf('empty')).percentage, TIMEOUT).toBe(10);
  });

  it('go back in a protected environment too, without a proposal', async () => {
    await visit('shielded', 700, { inside: 0.1, outside: 0.4 }, 'live');
    await touch('shielded');
    await expect.poll(async () => (await rolloutOf('shielded', 'live')).percentage, TIMEOUT).toBe(0);
    expect(await historyOf('shielded')).toHaveLength(1);
  });

  it('are what they have become when the file is applied again', async () => {
    const before = await Promise.all(['harmful', 'harmless', 'quiet', 'empty'].map((key) => rolloutOf(key)));
    for (const { key, environments } of FLAGS) {
      bodyOf(await manager.patch(`/flags/${key}`, { environments }, '*'));
    }
    const after = await Promise.all(['harmful', 'harmless', 'quiet', 'empty'].map((key) => rolloutOf(key)));
    expect(after).toEqual(before);
  });

  it('are the same after a restart, and are not rolled back again', async () => {
    const before = await manager.read('/flags/harmful');
    await shop.server.stop();
    const env = { ...WITH_OWNER, WEBHOOK_ALLOW_PRIVATE: 'true' };
    shop = new Shop(await startServer({ dataDir: shop.server.dataDir, env }));
    manager = new PropertyManager(await ownerBrowser(shop.server));
    expect(await manager.read('/flags/harmful')).toEqual(before);
    await touch('harmless');
    await expect.poll(async () => (await report('harmless')).state, TIMEOUT).toBe('running');
    expect(await historyOf('harmful')).toHaveLength(1);
    expect(
      received('harm.stopped').filter(({ data }) => data.measuredRule.flagKey === 'harmful'),
    ).toHaveLength(1);
  });

  it('can be replayed with other guardrails', async () => {
    const strict = await report('harmful', { guardrails: 'signup:0.02' });
    expect(strict).toMatchObject({ dryRun: true, phases: [{ action: 'roll-back' }] });
    const loose = await report('harmful', { guardrails: 'revenue:0.5' });
    expect(loose.phases).toMatchObject([{ action: 'wait' }]);
  });
});

describe('guardrails of a rollout are refused', () => {
  const save = (rollout: object, more: object = {}) =>
    manager.put('/flags/refused', { ...flag('refused', rollout), ...more });
  it.each([
    ['without a schedule', { percentage: 10, guardrails: ['signup'] }, '/guardrails'],
    ['with unknown goals', guarded(10, [step(20, LATER[0])], { guardrails: ['nothing'] }), '/guardrails/0'],
    ['with steps back', guarded(10, [step(5, LATER[0])]), '/schedule/0/percentage'],
    ['if they are missing', { percentage: 10, maxWaitDays: 3 }, '/maxWaitDays'],
    ['with a limit in the past', guarded(10, [step(20, LATER[0])], { maxWaitDays: -1 }), '/maxWaitDays'],
  ])('%s', async (_what, rollout, pointer) => {
    const { errors } = errorOf(await save(rollout), 400, 'invalid_request');
    expect(errors[0].pointer).toBe(`/environments/production/rules/0/rollout${pointer}`);
  });
});
