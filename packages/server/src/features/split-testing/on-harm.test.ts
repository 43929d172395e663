import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BATCH = 100;

const test = (key: string, more: object = {}) => ({
  key,
  type: 'text',
  status: 'running',
  variations: ['control', 'b'].map((each) => ({ key: each, weight: 1, value: `Text of ${each}` })),
  goals: ['signup'],
  ...more,
});

let shop: Shop;
let manager: PropertyManager;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  const splitTests = [
    test('uneven'),
    test('headline', { name: 'Headline' }),
    test('plain'),
    test('no-goals', { goals: [] }),
  ];
  shop = await openShop({
    provision: sampleWith({ splitTests }),
    env: { ...WITH_OWNER, WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  bodyOf(await manager.put('/webhooks/harm', { url: receiver.url, events: ['harm.stopped'] }), 201);
});
afterAll(async () => {
  await closeShop(shop);
  await receiver.close();
});

const read = (key: string) => manager.read(`/split-tests/${key}`);
const patch = (key: string, fields: object, query = '') =>
  manager.patch(`/split-tests/${key}${query}`, fields, '*');

/** Visitors of each variation, of which some convert. */
async function visit(key: string, counts: Record<string, { visitors: number; converted: number }>) {
  const sessions = Object.entries(counts).flatMap(([variationKey, { visitors, converted }]) =>
    Array.from({ length: visitors }, (_, index) => ({
      variationKey,
      sessionId: `${key}-${variationKey}-${index}`,
      converts: index < converted,
    })),
  );
  for (let at = 0; at < sessions.length; at += BATCH) {
    const batch = sessions.slice(at, at + BATCH);
    await accepted(
      shop.expose(
        ...batch.map(({ variationKey, sessionId }) => ({
          splitTestKey: key,
          variationKey,
          sessionId,
          phase: 1,
        })),
      ),
    );
    const goals = batch.filter(({ converts }) => converts);
    await Promise.all(
      goals.map(({ sessionId }) => accepted(shop.increment({ goalId: 'signup', sessionId }))),
    );
  }
}

describe('the member onHarm', () => {
  it('is left out unless it says stop, and changes nothing about the phase', async () => {
    const before = await read('plain');
    expect(before).not.toHaveProperty('onHarm');
    const preview = bodyOf(await patch('plain', { onHarm: 'stop' }, '?dryRun=true'));
    expect(preview.summary).toEqual(['Split test plain – If a variation does harm: notify → stop it']);
    expect(preview).not.toHaveProperty('opensPhase');
    expect(bodyOf(await patch('plain', { onHarm: 'stop' }))).toMatchObject({ onHarm: 'stop' });
    const after = bodyOf(await patch('plain', { onHarm: 'notify' }));
    expect(after).toEqual({ ...before, version: before.version + 2 });
    expect((await manager.history('?limit=1'))[0].summary).toEqual([
      'Split test plain – If a variation does harm: stop it → notify',
    ]);
    // Saying so again is no change.
    expect(bodyOf(await patch('plain', { onHarm: 'notify' })).version).toBe(after.version);
  });

  it('is refused for a test that measures nothing, and for other words', async () => {
    const nothing = errorOf(await patch('no-goals', { onHarm: 'stop' }), 400, 'invalid_request');
    expect(nothing.errors).toMatchObject([{ pointer: '/onHarm' }]);
    const unknown = errorOf(await patch('plain', { onHarm: 'retire' }), 400, 'invalid_request');
    expect(unknown.errors[0].pointer).toBe('/onHarm');
    bodyOf(await patch('no-goals', { onHarm: 'stop', guardrails: ['signup'] }));
  });
});

describe('a test that says onHarm: stop', () => {
  it('is stopped when harm is proven, but not while its split is wrong', async () => {
    await visit('uneven', {
      control: { visitors: 400, converted: 160 },
      b: { visitors: 200, converted: 20 },
    });
    await visit('headline', {
      control: { visitors: 300, converted: 120 },
      b: { visitors: 300, converted: 45 },
    });
    expect((await shop.results('uneven')).health.problems[0].problem).toBe('sample-ratio-mismatch');
    // Both are looked at now, the first one first.
    bodyOf(await patch('uneven', { onHarm: 'stop' }));
    bodyOf(await patch('headline', { onHarm: 'stop' }));
    await expect.poll(async () => (await read('headline')).status, { timeout: 60_000 }).toBe('stopped');
    expect((await read('uneven')).status).toBe('running');

    const words = `Stopped automatically. "b": Sign-ups got worse: 40 % → 15 %, -63 %, between -79 % and -35 %.`;
    expect(await read('headline')).toMatchObject({
      winner: 'control',
      decision: { outcome: 'roll-back', reason: words },
      phases: [{ number: 1, reasons: ['started'] }],
    });
    const [entry, ...others] = await manager.history('?actor=safe%20rollout');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: { type: 'system', id: null, name: 'safe rollout' },
      via: 'monitoring',
      entity: { type: 'split-test', key: 'headline' },
      comment: words,
    });
    expect(entry.summary.join()).toContain('Status: running → stopped');
  });

  it('shows the control to everybody from then on', async () => {
    const { tests } = (await shop.get('/v1/split-testing/config', {}, PUBLIC_KEY)).body;
    const hero = tests.find(({ key }: { key: string }) => key === 'headline');
    expect(hero.trafficAllocation).toBe(0);
    expect(hero.variations[0]).toMatchObject({ key: 'control', value: 'Text of control' });
  });

  it('tells webhooks once, with the figures', async () => {
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    const { type, data } = JSON.parse(receiver.received[0]!.body);
    expect(type).toBe('harm.stopped');
    expect(data).toMatchObject({
      propertyId: 'shop',
      splitTest: { key: 'headline', name: 'Headline' },
      action: 'stopped',
      phase: 1,
      harms: [
        {
          variation: 'b',
          goals: [
            {
              goalId: 'signup',
              role: 'primary',
              control: 0.4,
              variation: 0.15,
              improvement: { estimate: -0.625 },
              unit: 'relative',
              maxHarm: null,
            },
          ],
        },
      ],
    });
  });
});
