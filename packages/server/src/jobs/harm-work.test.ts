import type { HarmedVariation } from '@switchyard/core/api/webhook-payloads';
import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PropertyConfiguration } from '../configuration/property/property-configuration.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { type HarmWatch, LOOK_EVERY_MS } from '../features/split-testing/harm-watch.ts';
import { createConfigurationWriter } from '../start/definitions.ts';
import { createHarmWatch } from './harm-work.ts';

const log = pino({ level: 'silent' });
const FIGURES = 'Renewals got worse: 3.9 % → 3.1 %, -20 %, between -31 % and -9 %, margin 2 %';

const harmOf = (variation: string): HarmedVariation => ({
  variation,
  goals: [
    {
      goalId: 'renewal',
      name: 'Renewals',
      role: 'guardrail',
      control: 0.039,
      variation: 0.031,
      improvement: { estimate: -0.2, low: -0.31, high: -0.09 },
      unit: 'relative',
      maxHarm: 0.02,
    },
  ],
  words: FIGURES,
});

describe.each(engines())('stopping harm on $name', (engine) => {
  let shop: MemoryConfiguration;
  let evaluated: string[];
  let harms: HarmedVariation[];
  let during: () => Promise<unknown>;
  let now: number;
  let watch: HarmWatch;
  let property: PropertyConfiguration;

  beforeEach(async () => {
    shop = await openMemoryConfiguration(engine);
    await shop.apply({
      goals: [
        { id: 'signup', kind: 'count' },
        { id: 'renewal', kind: 'count' },
      ],
      splitTests: [testOf('hero'), testOf('three', { variations: variationsOf('control', 'b', 'c') })],
    });
    await storeWebhook(shop.handle.database, { url: 'https://shop.example', events: ['harm.stopped'] });
    [evaluated, harms, now] = [[], [], 0];
    during = async () => {};
    watch = startWatch();
    await load();
  });
  afterEach(() => shop.handle.close());

  const variationsOf = (...keys: string[]) => keys.map((key) => ({ key, weight: 1 }));
  const testOf = (key: string, more: object = {}) => ({
    key,
    type: 'id',
    status: 'running',
    goals: ['signup'],
    guardrails: [{ goalId: 'renewal', maxHarm: 0.02 }],
    variations: variationsOf('control', 'b'),
    ...more,
  });
  const set = async (key: string, fields: object) => {
    await shop.apply({ splitTests: [{ key, ...fields }] });
    await load();
  };
  const load = async () => {
    property = (await shop.property())!;
  };

  const startWatch = () =>
    createHarmWatch({
      log,
      configuration: { properties: () => [property] },
      writer: createConfigurationWriter(shop.handle.database),
      clock: () => now,
      reports: {
        isClosed: false,
        release: async () => {},
        run: async ({ scope }: { scope: { test: { key: string } } }) => {
          evaluated.push(scope.test.key);
          await during();
          return { body: new TextEncoder().encode(JSON.stringify({ harms, asOf: 1 })) };
        },
      } as unknown as ReportRunner,
    });

  /** Until nothing is left to look at. */
  const look = async () => {
    for (let runs = 0; runs < 3; runs++) {
      await watch.run();
      await load();
    }
  };

  async function historyOf(key: string) {
    const query = shop.handle.database.selectFrom('history').selectAll().where('entity_key', '=', key);
    const rows = await query.where('via', '=', 'monitoring').execute();
    return rows.map(({ actor_type, actor_id, actor_name, comment }) => [
      actor_type,
      actor_id,
      actor_name,
      comment,
    ]);
  }

  const delivered = async () => {
    const rows = await shop.handle.database.selectFrom('webhook_deliveries').select('body').execute();
    return rows.map(({ body }) => JSON.parse(body));
  };

  it('does nothing unless a test asks for it, runs, and does harm', async () => {
    harms = [harmOf('b')];
    await look();
    expect(evaluated).toEqual([]);
    await set('hero', { onHarm: 'stop', status: 'paused' });
    await look();
    expect(evaluated).toEqual([]);
    harms = [];
    await set('hero', { status: 'running' });
    await look();
    expect(evaluated).toEqual(['hero']);
    expect((await shop.test('hero')).status).toBe('running');
    expect(await delivered()).toEqual([]);
  });

  it('stops a test whose last variation does harm, and says so in the history and to webhooks', async () => {
    await set('hero', { onHarm: 'stop' });
    harms = [harmOf('b')];
    await look();
    const comment = `Stopped automatically. "b": ${FIGURES}.`;
    expect(await shop.test('hero')).toMatchObject({
      status: 'stopped',
      winner: 'control',
      decision: { outcome: 'roll-back', reason: comment },
      phases: [{ number: 1, endedAt: expect.any(Number) }],
    });
    expect(await historyOf('hero')).toEqual([['system', null, 'safe rollout', comment]]);
    expect(await delivered()).toMatchObject([
      {
        type: 'harm.stopped',
        data: {
          propertyId: 'shop',
          splitTest: { key: 'hero', name: null },
          action: 'stopped',
          phase: 1,
          harms,
          words: comment,
          asOf: 1,
        },
      },
    ]);
    expect(evaluated).toEqual(['hero']);
  });

  it('takes a harmful variation out while another one is left, without a new phase', async () => {
    await set('three', { onHarm: 'stop' });
    harms = [harmOf('c')];
    await watch.run();
    await load();
    const retired = await shop.test('three');
    expect(retired).toMatchObject({ status: 'running', winner: null, decision: null });
    expect(retired.variations.map(({ retired }) => retired === true)).toEqual([false, false, true]);
    expect(retired.phases).toHaveLength(1);
    now += LOOK_EVERY_MS;
    harms = [harmOf('b')];
    await look();
    expect((await shop.test('three')).status).toBe('stopped');
    expect((await historyOf('three')).map(([, , , comment]) => String(comment).split('"')[0])).toEqual([
      'Retired automatically. ',
      'Stopped automatically. ',
    ]);
    expect((await delivered()).map(({ data }) => data.action)).toEqual(['retired', 'stopped']);
  });

  it('stops at once if all variations do harm', async () => {
    await set('three', { onHarm: 'stop' });
    harms = [harmOf('b'), harmOf('c')];
    await look();
    expect((await shop.test('three')).status).toBe('stopped');
    expect(await historyOf('three')).toHaveLength(1);
  });

  it('stops once, even if two nodes have found the same harm, or a node starts again', async () => {
    await set('hero', { onHarm: 'stop' });
    harms = [harmOf('b')];
    const outdated = property;
    await Promise.all([watch.run(), startWatch().run()]);
    property = outdated;
    await startWatch().run();
    expect(evaluated).toHaveLength(3);
    expect(await historyOf('hero')).toHaveLength(1);
    expect(await delivered()).toHaveLength(1);
  });

  it.each([
    ['is told to notify only', { onHarm: 'notify' }],
    [
      'gets other weights',
      {
        variations: [
          { key: 'control', weight: 9 },
          { key: 'b', weight: 1 },
        ],
      },
    ],
    ['is paused', { status: 'paused' }],
  ])('leaves a test alone that %s during the evaluation', async (_what, fields) => {
    await set('hero', { onHarm: 'stop' });
    harms = [harmOf('b')];
    during = () => shop.apply({ splitTests: [{ key: 'hero', ...fields }] });
    await watch.run();
    expect((await shop.test('hero')).status).not.toBe('stopped');
    expect(await delivered()).toEqual([]);
  });

  it('looks every five minutes, and anew after a change of the test', async () => {
    await set('hero', { onHarm: 'stop' });
    await look();
    expect(evaluated).toHaveLength(1);
    now += LOOK_EVERY_MS - 1;
    await look();
    expect(evaluated).toHaveLength(1);
    now += 1;
    await look();
    expect(evaluated).toHaveLength(2);
    await set('hero', { guardrails: [] });
    await look();
    expect(evaluated).toHaveLength(3);
  });

  it('looks a fifth of the time at most, one test after the other', async () => {
    await set('hero', { onHarm: 'stop' });
    await set('three', { onHarm: 'stop' });
    during = async () => {
      now += 1000;
    };
    await watch.run();
    now += 3999;
    await watch.run();
    expect(evaluated).toEqual(['hero']);
    now += 1;
    await watch.run();
    expect(evaluated).toEqual(['hero', 'three']);
  });

  it('looks at what has waited longest, so a test that is saved all the time delays no other', async () => {
    await set('hero', { onHarm: 'stop' });
    await set('three', { onHarm: 'stop' });
    during = async () => {
      now += 1000;
    };
    const rounds = async (count: number) => {
      evaluated = [];
      for (let round = 0; round < count; round++) {
        await watch.run();
        now += 4000;
        await set('hero', { description: `Saved at ${now}` });
      }
      return evaluated;
    };
    expect(await rounds(4)).toEqual(['hero', 'three', 'hero', 'hero']);
    now += LOOK_EVERY_MS;
    expect(await rounds(3)).toEqual(['three', 'hero', 'hero']);
  });

  it('does not repeat a failed evaluation at once', async () => {
    await set('hero', { onHarm: 'stop' });
    during = async () => {
      throw new Error('too slow');
    };
    await look();
    expect(evaluated).toHaveLength(1);
    during = async () => {};
    harms = [harmOf('b')];
    now += LOOK_EVERY_MS;
    await look();
    expect((await shop.test('hero')).status).toBe('stopped');
  });
});
