import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { type SplitTestEvaluation, SplitTestWatch } from './split-test-watch.ts';

const LOOK_MS = 15 * 60 * 1000;
const START = 1_767_225_600_000;

let configuration: MemoryConfiguration;
let property: PropertyConfiguration;
let watch: SplitTestWatch;
let evaluated: string[];
let found: SplitTestEvaluation | Error;
let now: number;
let released: number;

const hero = {
  key: 'hero',
  name: 'Hero',
  type: 'id',
  status: 'running',
  goals: ['signup'],
  variations: [
    { key: 'a', weight: 1 },
    { key: 'b', weight: 1 },
  ],
};
const shop = (test: object = {}) => ({
  goals: [{ id: 'signup', kind: 'count' }],
  splitTests: [{ ...hero, ...test }],
});

beforeEach(async () => {
  configuration = await openMemoryConfiguration();
  await configuration.apply(shop());
  await storeWebhook(configuration.handle.database, {
    url: 'https://shop.example',
    events: ['verdict.changed', 'test.unhealthy'],
  });
  await reload();
  [evaluated, found, now, released] = [[], seen('collecting'), START, 0];
  watch = startWatch();
});
afterEach(() => configuration.handle.close());

async function reload(): Promise<void> {
  property = (await configuration.property())!;
}

const startWatch = () =>
  new SplitTestWatch({
    database: configuration.handle.database,
    properties: () => [property],
    evaluate: async (_property, { key }) => {
      evaluated.push(key);
      if (found instanceof Error) throw found;
      return found;
    },
    release: async () => {
      released++;
    },
    isStopping: () => false,
    onQueued: () => {},
    log: pino({ level: 'silent' }),
  });

const seen = (decision: string, healthy = true, variation = 'b') =>
  ({
    asOf: START,
    verdict: { decision, variation, words: `Words for ${decision}.` },
    health: { healthy, problems: healthy ? [] : [{ problem: 'sample-ratio', words: 'Uneven.', pValue: 0 }] },
  }) as unknown as SplitTestEvaluation;

/** Looks again when it is due. */
async function look(next: SplitTestEvaluation | Error): Promise<void> {
  found = next;
  now += LOOK_MS;
  await watch.run(now);
}

async function queued() {
  const rows = await configuration.handle.database
    .selectFrom('webhook_deliveries')
    .select('body')
    .orderBy('position')
    .execute();
  return rows.map(({ body }) => JSON.parse(body));
}

test('tells when the decision changes, also across a restart; the first look is silent', async () => {
  await watch.run(now);
  expect(await queued()).toEqual([]);
  await look(seen('keep-going'));
  watch = startWatch();
  await look(seen('keep-going'));
  await look(seen('ship'));
  const events = await queued();
  expect(events.map(({ type, data }) => [type, data.previousDecision, data.verdict.decision])).toEqual([
    ['verdict.changed', 'collecting', 'keep-going'],
    ['verdict.changed', 'keep-going', 'ship'],
  ]);
  expect(events[1].data).toMatchObject({
    propertyId: 'shop',
    splitTest: { key: 'hero', name: 'Hero' },
    status: 'running',
    phase: 1,
    verdict: { words: 'Words for ship.' },
    changedAfterStart: [],
  });
  await configuration.apply({ splitTests: [{ key: 'hero', smallestEffect: 0.05 }] });
  await reload();
  await look(seen('no-difference'));
  expect((await queued()).at(-1).data.changedAfterStart).toEqual(['Smallest effect: none → 5 %']);
});

test('tells when another variation wins, but not while nothing is decided', async () => {
  await watch.run(now);
  await look(seen('collecting', true, 'a'));
  await look(seen('ship', true, 'b'));
  await look(seen('ship', true, 'a'));
  expect((await queued()).map(({ data }) => data.verdict.variation)).toEqual(['b', 'a']);
});

test('tells once per episode that a test is unhealthy', async () => {
  await watch.run(now);
  for (const healthy of [false, false, true, false]) await look(seen('collecting', healthy));
  const events = await queued();
  expect(events.map(({ type }) => type)).toEqual(['test.unhealthy', 'test.unhealthy']);
  expect(events[0].data.problems).toEqual([{ problem: 'sample-ratio', words: 'Uneven.' }]);
});

test('looks every 15 minutes, and releases the thread in between', async () => {
  for (const minutes of [0, 1, 14, 15, 16, 29, 30]) await watch.run(START + minutes * 60_000);
  expect(evaluated).toHaveLength(3);
  expect(released).toBe(2);
});

test('looks once more at a test that stopped, and silently at a new phase', async () => {
  await watch.run(now);
  await configuration.apply(shop({ status: 'stopped' }));
  await reload();
  found = seen('no-difference');
  for (let run = 0; run < 3; run++) await watch.run(now + run + 1);
  expect(evaluated).toHaveLength(2);
  expect((await queued()).map(({ data }) => [data.status, data.verdict.decision])).toEqual([
    ['stopped', 'no-difference'],
  ]);
});

test('a changed test begins a phase, whose first look is silent', async () => {
  await watch.run(now);
  const variations = [...hero.variations, { key: 'c', weight: 1 }];
  await configuration.apply(shop({ variations }));
  await reload();
  expect(property.splitTests[0]!.phases).toHaveLength(2);
  found = seen('keep-going');
  await watch.run(now + 1);
  expect([evaluated.length, await queued()]).toEqual([2, []]);
});

test('a failed evaluation is not repeated at once', async () => {
  found = new Error('too slow');
  for (let run = 0; run < 3; run++) await watch.run(now + run);
  expect(evaluated).toHaveLength(1);
});

test('does nothing without a subscription, and forgets what it knew', async () => {
  await watch.run(now);
  await configuration.handle.database.deleteFrom('webhooks').execute();
  property = { ...property, webhooks: [] };
  await watch.run(now + LOOK_MS);
  await watch.run(now + 2 * LOOK_MS);
  expect(evaluated).toHaveLength(1);
  const rows = await configuration.handle.database.selectFrom('webhook_test_states').selectAll().execute();
  expect(rows).toEqual([]);
});

test('tells of a measured rule, by the name of its rule', async () => {
  const rule = {
    id: 'half',
    name: 'Half of all',
    rollout: { percentage: 50 },
    value: true,
    measure: { goals: ['signup'] },
  };
  const flag = {
    key: 'checkout',
    type: 'boolean',
    defaultValue: false,
    environments: { production: { enabled: true, rules: [rule] } },
  };
  await configuration.apply({ ...shop({ status: 'stopped' }), flags: [flag] });
  await reload();
  await watch.run(now);
  expect(evaluated).toEqual(['flag:checkout/production/half']);
  await look(seen('ship'));
  await look(seen('ship', false));
  const events = await queued();
  expect(events.map(({ type }) => type)).toEqual(['verdict.changed', 'test.unhealthy']);
  for (const { data } of events) {
    expect(data).toMatchObject({
      splitTest: { key: 'flag:checkout/production/half', name: 'Half of all' },
      measuredRule: { flagKey: 'checkout', environment: 'production', ruleId: 'half' },
      phase: 1,
    });
  }
});
