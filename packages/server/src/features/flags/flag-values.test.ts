import { closeShop, openShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { startServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SPLIT = [
  { key: 'calm', value: 'grid', weight: 1 },
  { value: 'list', weight: 1 },
  { key: 'bold', value: 'map', weight: 2 },
];
const PRICING = {
  type: 'object',
  properties: { currency: { enum: ['EUR', 'USD'] }, cents: { type: 'integer', minimum: 0 } },
  required: ['cents'],
};
const on = (fields: object) => ({ production: { enabled: true, ...fields } });
const FLAGS = [
  {
    key: 'layout',
    type: 'string',
    defaultValue: 'grid',
    environments: on({ rules: [{ id: 'views', split: SPLIT }] }),
  },
  { key: 'price', type: 'string', format: 'number', defaultValue: '0', environments: on({ value: '12.50' }) },
  {
    key: 'pricing',
    type: 'string',
    format: 'json',
    schema: PRICING,
    defaultValue: '{"cents":0}',
    environments: on({ value: '{ "cents": 999 }' }),
  },
];

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS }), env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const UNITS = Array.from({ length: 400 }, (_, index) => `user-${index}`);

async function evaluate(key: string, context: object) {
  const { flags } = bodyOf(await shop.evaluate({ flagKeys: [key], context }));
  return flags[key];
}

async function valuesOfUnits(key: string): Promise<string[]> {
  return Promise.all(UNITS.map(async (userId) => (await evaluate(key, { userId })).value));
}

const ofrep = (key: string, context: object) => shop.post(`/ofrep/v1/evaluate/flags/${key}`, { context });

describe('a rule with a split', () => {
  it('serves every value to its share, with the variant, and the same in OFREP', async () => {
    const shares: Record<string, number> = {};
    for (const userId of UNITS) {
      const { value, variant, reason, ruleId } = await evaluate('layout', { userId });
      expect({ reason, ruleId }).toEqual({ reason: 'SPLIT', ruleId: 'views' });
      expect({ value, variant }).toEqual(
        { grid: { value, variant: 'calm' }, list: { value, variant: '1' }, map: { value, variant: 'bold' } }[
          value as 'grid'
        ],
      );
      shares[value] = (shares[value] ?? 0) + 1;
      const response = bodyOf(await ofrep('layout', { targetingKey: userId }));
      expect(response).toMatchObject({ value, variant, reason: 'SPLIT' });
    }
    expect(shares.grid! / UNITS.length).toBeCloseTo(0.25, 0.8);
    expect(shares.list! / UNITS.length).toBeCloseTo(0.25, 0.8);
    expect(shares.map! / UNITS.length).toBeCloseTo(0.5, 0.8);
  });

  it('needs an id; without one, the next rule or the value of the environment decides', async () => {
    expect(await evaluate('layout', { plan: 'pro' })).toMatchObject({ value: 'grid', reason: 'DEFAULT' });
  });

  it('is explained with the ranges of its values', async () => {
    const explained = bodyOf(
      await manager.post('/explanations', { type: 'flag', key: 'layout', context: { userId: 'user-1' } }),
    );
    const { value } = await evaluate('layout', { userId: 'user-1' });
    const [step] = explained.steps.rules;
    expect(step).toMatchObject({ outcome: 'served', rollout: { attribute: 'userId', percentage: 100 } });
    expect(step.rollout.split).toEqual([
      { variant: 'calm', value: 'grid', from: 0, to: 25, served: value === 'grid' },
      { variant: '1', value: 'list', from: 25, to: 50, served: value === 'list' },
      { variant: 'bold', value: 'map', from: 50, to: 100, served: value === 'map' },
    ]);
  });

  it('moves only those who get the value that is raised, and the history tells it', async () => {
    const before = await valuesOfUnits('layout');
    const raised = SPLIT.map((entry, index) => ({ ...entry, weight: [1, 2, 1][index] }));
    const environments = { production: { rules: [{ id: 'views', split: raised }] } };
    bodyOf(await manager.patch('/flags/layout', { environments }, '*'));
    const after = await valuesOfUnits('layout');
    const moves = new Set(
      before.flatMap((value, index) => (value === after[index] ? [] : [`${value} → ${after[index]}`])),
    );
    expect([...moves]).toEqual(['map → list']);
    const [entry] = await manager.history('?limit=1');
    expect(entry.summary).toEqual(
      expect.arrayContaining([
        'Flag layout – Production, rule 1: serves grid (25 %), list (25 %) or map (50 %) → grid (25 %), list (50 %) or map (25 %)',
      ]),
    );
  });

  it('can replace a single value, and be replaced by one', async () => {
    const rule = (served: object) => ({
      environments: { production: { rules: [{ id: 'views', ...served }] } },
    });
    bodyOf(await manager.patch('/flags/layout', rule({ value: 'map' }), '*'));
    expect(await evaluate('layout', {})).toMatchObject({ value: 'map', reason: 'TARGETING_MATCH' });
    bodyOf(await manager.patch('/flags/layout', rule({ split: SPLIT, rollout: { percentage: 0 } }), '*'));
    expect(await evaluate('layout', { userId: 'user-1' })).toMatchObject({ reason: 'DEFAULT' });
  });

  it('is refused with a place for every mistake', async () => {
    const split = [
      { value: 'a', weight: 0 },
      { key: '0', value: false, weight: 0 },
    ];
    const rules = [
      { id: 'a', split },
      { id: 'b', value: 'x', split: SPLIT },
      { id: 'c' },
      { id: 'd', split: [{ value: 'a', weight: 1 }] },
    ];
    const place = '/environments/production/rules';
    const problem = await manager.patch('/flags/layout', { environments: { production: { rules } } }, '*');
    expect(
      errorOf(problem, 400, 'invalid_request').errors.map(({ pointer }: { pointer: string }) => pointer),
    ).toEqual([`${place}/3/split`]);
    const savable = { environments: { production: { rules: rules.slice(0, 3) } } };
    expect(
      errorOf(await manager.patch('/flags/layout', savable, '*'), 400, 'invalid_request').errors.map(
        ({ pointer }: { pointer: string }) => pointer,
      ),
    ).toEqual([
      `${place}/0/split/1/value`,
      `${place}/0/split`,
      `${place}/0/split/1/key`,
      `${place}/1/value`,
      `${place}/2/value`,
    ]);
  });
});

describe('a flag with a format', () => {
  it('is a text with its format in the list and in evaluations', async () => {
    const { flags } = bodyOf(await shop.get('/v1/flags/list'));
    const price = flags.find(({ key }: { key: string }) => key === 'price');
    expect(price).toMatchObject({ type: 'string', format: 'number', defaultValue: '0' });
    const banner = flags.find(({ key }: { key: string }) => key === 'banner');
    expect(banner).not.toHaveProperty('format');
    expect(await evaluate('price', {})).toEqual({
      value: '12.50',
      type: 'string',
      format: 'number',
      reason: 'STATIC',
      version: 1,
    });
  });

  it('has parsed values in OFREP, one by one and all together', async () => {
    expect(bodyOf(await ofrep('price', {}))).toMatchObject({ value: 12.5, variant: 'default' });
    const { flags } = bodyOf(await shop.post('/ofrep/v1/evaluate/flags', { context: {} }));
    const pricing = flags.find(({ key }: { key: string }) => key === 'pricing');
    expect(pricing.value).toEqual({ cents: 999 });
  });

  it('refuses values that are not of the format, or do not fit the schema', async () => {
    const value = (text: string) => ({ environments: { production: { value: text } } });
    const refused = errorOf(
      await manager.patch('/flags/pricing', value('{"cents":-1}'), '*'),
      400,
      'invalid_request',
    );
    expect(refused.errors).toEqual([
      expect.objectContaining({
        pointer: '/environments/production/value',
        detail: 'does not fit the schema: /cents must be >= 0',
      }),
    ]);
    errorOf(await manager.patch('/flags/price', value('cheap'), '*'), 400, 'invalid_request');
    expect(await evaluate('pricing', {})).toMatchObject({ value: '{ "cents": 999 }' });
  });

  it('refuses a schema that its values do not fit, or that is not one', async () => {
    const schema = { ...PRICING, properties: { cents: { type: 'integer', maximum: 100 } } };
    const flag = bodyOf(await manager.get('/flags/pricing'));
    const put = (fields: object) => manager.put('/flags/pricing', { ...flag, ...fields }, '*');
    const tooMuch = errorOf(await put({ schema }), 400, 'invalid_request');
    expect(tooMuch.errors[0].pointer).toBe('/environments/production/value');
    const wrong = errorOf(await put({ schema: { $ref: '#' } }), 400, 'invalid_request');
    expect(wrong.errors[0].pointer).toBe('/schema/$ref');
    const large = { description: 'x'.repeat(17_000) };
    expect(errorOf(await put({ schema: large }), 400, 'invalid_request').errors).toMatchObject([
      { pointer: '/schema', detail: 'is larger than 16384 characters as JSON' },
    ]);
  });

  it('can lose its schema and its format, which the history tells', async () => {
    bodyOf(await manager.patch('/flags/pricing', { schema: null, format: null }, '*'));
    expect(bodyOf(await manager.get('/flags/pricing'))).not.toHaveProperty('schema');
    expect(await evaluate('pricing', {})).not.toHaveProperty('format');
    const [entry] = await manager.history('?limit=1');
    expect(entry.summary).toEqual(
      expect.arrayContaining([
        'Flag pricing – Schema of the values removed',
        'Flag pricing – Format: json → none',
      ]),
    );
    bodyOf(await manager.patch('/flags/pricing', { schema: PRICING, format: 'json' }, '*'));
  });

  it('only exists for texts', async () => {
    const boolean = { key: 'b', name: 'b', type: 'boolean', format: 'json', defaultValue: true };
    const { errors } = errorOf(await manager.put('/flags/b', boolean), 400, 'invalid_request');
    expect(errors[0]).toMatchObject({ pointer: '/format' });
  });

  it('survives a restart, like the schema and the usage of every value', async () => {
    const before = bodyOf(await manager.get('/flags/pricing'));
    await shop.server.stop();
    shop = new Shop(await startServer({ dataDir: shop.server.dataDir, env: WITH_OWNER }));
    manager = new PropertyManager(await ownerBrowser(shop.server));
    expect(bodyOf(await manager.get('/flags/pricing'))).toEqual(before);
    expect(before.schema).toEqual(PRICING);
    const { values } = (await shop.flagUsage('layout')).production;
    expect(values.map((each: { value: string }) => each.value).sort()).toEqual(['grid', 'list', 'map']);
    errorOf(await manager.patch('/flags/pricing', { defaultValue: '{}' }, '*'), 400, 'invalid_request');
  });
});
