import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLAGS_WITH_FORMATS, PRICING, PRICING_TEXT } from '../../testing/flags-with-formats.ts';
import { createSwitchyard, type Switchyard, type SwitchyardOptions } from '../node.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS_WITH_FORMATS }) });
});
afterAll(() => closeShop(shop));

const open: Switchyard[] = [];
let warnings: string[];
function connect(options: Partial<SwitchyardOptions> = {}): Switchyard {
  warnings = [];
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text));
  const client = createSwitchyard({
    apiUrl: shop.server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 60_000,
    stream: false,
    ...options,
  });
  open.push(client);
  return client;
}
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function ready(options: Partial<SwitchyardOptions> = {}): Promise<Switchyard> {
  const client = connect(options);
  expect(await client.ready()).toEqual({ success: true });
  return client;
}

const staff = { email: 'ada@shop.example' };

describe('synchronous calls', () => {
  it('`number` returns numbers, also of JSON', async () => {
    const { flags } = await ready();
    expect(flags.number('price', 1)).toBe(12.5);
    expect(flags.number('price', 1, staff)).toBe(0);
    expect(flags.number('size', 1)).toBe(4);
    expect(flags.number('limit', 1)).toBe(5);
    expect(warnings).toEqual([]);
    for (const key of ['pricing', 'nothing', 'plain', 'new-checkout', 'missing']) {
      expect(flags.number(key, 7), key).toBe(7);
    }
    expect(warnings).toHaveLength(5);
  });

  it('`json` returns parsed JSON: the same frozen object for everybody', async () => {
    const { flags } = await ready();
    const pricing = flags.json('pricing', PRICING);
    expect(pricing).toEqual(PRICING);
    expect(flags.json('pricing', null, staff)).toBe(pricing);
    expect(flags.all().pricing).toBe(pricing);
    expect(flags.details('pricing', {}).value).toBe(pricing);
    expect([pricing, pricing.plans, pricing.plans[1]].every(Object.isFrozen)).toBe(true);
    expect(flags.json('limit', null)).toBe(5);
    expect(flags.json('nothing', { a: 1 })).toBe(null);
    expect(flags.json('theme', { dark: false })).toEqual({ dark: true });
    expect(warnings).toEqual([]);
    for (const key of ['price', 'plain', 'banner', 'new-checkout', 'missing']) {
      expect(flags.json(key, [key]), key).toEqual([key]);
    }
    expect(warnings).toHaveLength(5);
  });

  it('`boolean` and `string` return raw values, so that a format breaks no code', async () => {
    const { flags } = await ready();
    expect(flags.string('price', '')).toBe('12.50');
    expect(flags.string('pricing', '')).toBe(PRICING_TEXT);
    expect(flags.string('plain', '')).toBe('{"a":1}');
    expect(warnings).toEqual([]);
    expect(flags.boolean('pricing', true)).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  it('are bound to a request by `forRequest`', async () => {
    const { flags } = (await ready()).forRequest('sy_visitor=visitor-1');
    expect(flags.number('price', 1)).toBe(12.5);
    expect(flags.number('price', 1, staff)).toBe(0);
    expect(flags.json('pricing', null)).toEqual(PRICING);
  });

  it('return the fallback before the flags are loaded', () => {
    const { flags } = connect();
    expect(flags.number('price', 7)).toBe(7);
    expect(flags.json('pricing', PRICING)).toBe(PRICING);
  });

  it('are counted by text', async () => {
    const client = await ready({ environment: 'staging', stream: false });
    client.flags.number('price', 1);
    client.flags.json('pricing', null);
    client.flags.all();
    await client.close();
    const counts = async (key: string) => (await shop.flagUsage(key)).staging.values;
    expect(await counts('price')).toMatchObject([{ value: '12.50', count: 2 }]);
    expect(await counts('pricing')).toMatchObject([{ count: 2 }]);
  });
});

describe.each(['local', 'remote'] as const)('%s evaluation', (evaluation) => {
  it('`resolve`: the type of the fallback decides how a flag is read', async () => {
    const { flags } = await ready({ evaluation });
    const price = { key: 'price', reason: 'TARGETING_MATCH', ruleId: 'staff' };
    expect(await flags.resolve('price', 1, staff)).toEqual({ ...price, value: 0 });
    expect(await flags.resolve('price', '1', staff)).toEqual({ ...price, value: '0' });
    expect(await flags.resolve('pricing', {})).toEqual({ key: 'pricing', value: PRICING, reason: 'STATIC' });
    for (const fallback of [[], {}, null]) {
      expect((await flags.resolve('pricing', fallback)).value).toEqual(PRICING);
    }
    expect((await flags.resolve('pricing', 'text')).value).toBe(PRICING_TEXT);
    expect((await flags.resolve('limit', 1)).value).toBe(5);
    expect(await flags.resolve('nothing', {})).toMatchObject({ value: null, reason: 'STATIC' });
    expect(warnings).toEqual([]);
  });

  it('`resolve`: says what is wrong with another type', async () => {
    const { flags } = await ready({ evaluation });
    const cases = [
      ['price', true, 'The flag "price" is a number, not a boolean. Read it with a number as fallback.'],
      ['price', {}, 'The flag "price" is a number, not JSON. Read it with a number as fallback.'],
      [
        'pricing',
        1,
        'The flag "pricing" is JSON, not a number. Read it with an object, an array or null as fallback.',
      ],
      [
        'plain',
        {},
        'The flag "plain" is a string, not JSON. Give it the format json, or read it with a string as fallback.',
      ],
      [
        'plain',
        1,
        'The flag "plain" is a string, not a number. Give it the format number, or read it with a string as fallback.',
      ],
      [
        'new-checkout',
        null,
        'The flag "new-checkout" is a boolean, not JSON. Read it with a boolean as fallback.',
      ],
    ] as const;
    for (const [key, fallback, errorMessage] of cases) {
      const failed = { key, value: fallback, reason: 'ERROR', errorCode: 'TYPE_MISMATCH', errorMessage };
      expect(await flags.resolve(key, fallback)).toEqual(failed);
    }
    const expected = cases.map(([, , message]) => `[switchyard] ${message} Its fallback is used.`);
    expect(warnings).toEqual(expected);
  });

  it('`evaluate` returns parsed values, and the variants of splits', async () => {
    const { flags } = await ready({ evaluation });
    const result = await flags.evaluate({ userId: 'u1' }, ['price', 'pricing', 'nothing', 'size', 'theme']);
    expect(result).toEqual({
      success: true,
      flags: {
        price: { key: 'price', value: 12.5, reason: 'DEFAULT' },
        pricing: { key: 'pricing', value: PRICING, reason: 'STATIC' },
        nothing: { key: 'nothing', value: null, reason: 'STATIC' },
        size: { key: 'size', value: 4, reason: 'SPLIT', ruleId: 'sizes', variant: 'large' },
        theme: { key: 'theme', value: { dark: true }, reason: 'SPLIT', ruleId: 'themes', variant: '0' },
      },
    });
    expect(warnings).toEqual([]);
  });
});

it('a flag gets a format while it is used', async () => {
  const { flags } = await ready({ stream: true });
  const changes: string[] = [];
  flags.onChange((keys) => changes.push(...keys));
  expect(flags.json('plain', null)).toBe(null);
  const plain = { key: 'plain', format: 'json' };
  await applyProvision(shop.server, { properties: [{ id: 'shop', flags: [plain] }] });
  await waitFor('the format', () => flags.json('plain', null) !== null);
  expect(flags.json('plain', null)).toEqual({ a: 1 });
  expect(flags.string('plain', '')).toBe('{"a":1}');
  expect(changes).toEqual(['plain']);
});
