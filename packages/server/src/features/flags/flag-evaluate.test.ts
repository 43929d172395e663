import { OTHER_PUBLIC_KEY, OTHER_SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const flag = (key: string, production: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  key,
  name: key,
  type: 'boolean',
  defaultValue: false,
  environments: { production: { enabled: true, value: false, ...production } },
  ...more,
});
const rule = (id: string, more: Record<string, unknown> = {}) => ({ id, value: true, ...more });
const isSet = (attribute: string) => [{ attribute, operator: 'isSet' }];
const equals = (attribute: string, value: string) => [{ attribute, operator: 'equals', values: [value] }];

const FLAGS = [
  flag('unconfigured', {}, { environments: {} }),
  flag('off', { enabled: false, value: true, rules: [rule('never')] }),
  flag('first-wins', {
    rules: [rule('one', { conditions: isSet('a') }), rule('two', { conditions: isSet('a'), value: false })],
  }),
  flag('all-of', { rules: [rule('both', { conditions: [...isSet('a'), ...isSet('b')] })] }),
  flag('any-of', { rules: [rule('either', { match: 'any', conditions: [...isSet('a'), ...isSet('b')] })] }),
  flag('zero-percent', { rules: [rule('none', { rollout: { percentage: 0 } })] }),
  flag('next-rule', {
    rules: [rule('missed', { rollout: { percentage: 0 } }), rule('rest', { conditions: isSet('a') })],
  }),
  flag('disabled-rule', { rules: [rule('sleeping', { enabled: false, conditions: isSet('a') })] }),
  flag('by-company', { rules: [rule('company', { rollout: { percentage: 99.999, by: 'company' } })] }),
  flag('half', { rules: [rule('coin', { rollout: { percentage: 50 } })] }),
  flag('needs-banner', { value: true, prerequisites: [{ flag: 'banner', value: 'spring' }] }),
  flag('needs-autumn', { value: true, prerequisites: [{ flag: 'banner', value: 'autumn' }] }),
  flag('for-visitor', { rules: [rule('visitor', { conditions: equals('visitorId', 'v-known') })] }),
  flag('for-user', { rules: [rule('user', { conditions: equals('userId', 'u-known') })] }),
  flag('for-session', { rules: [rule('session', { conditions: equals('sessionId', 'known') })] }),
];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS }) });
});
afterAll(() => closeShop(shop));

async function evaluate(key: string, context?: Record<string, unknown>, environment?: string) {
  const response = await shop.evaluate({ context, environment, flagKeys: [key] });
  expect(response.status, response.text).toBe(200);
  return response.body.flags[key];
}

describe('value and reason', () => {
  const version = expect.any(Number);
  const on = { type: 'boolean', value: true, version };
  const off = { type: 'boolean', value: false, version };
  const rows: {
    key: string;
    context?: Record<string, unknown>;
    environment?: string;
    expected: Record<string, unknown>;
  }[] = [
    { key: 'banner', expected: { type: 'string', value: 'spring', reason: 'STATIC', version } },
    {
      key: 'banner',
      environment: 'production',
      expected: { type: 'string', value: 'spring', reason: 'STATIC', version },
    },
    {
      key: 'banner',
      environment: 'staging',
      expected: { type: 'string', value: 'none', reason: 'DEFAULT', version },
    },
    { key: 'unconfigured', expected: { ...off, reason: 'DEFAULT' } },
    { key: 'off', expected: { ...off, reason: 'DISABLED' } },
    { key: 'new-checkout', environment: 'staging', expected: { ...off, reason: 'DISABLED' } },
    { key: 'new-checkout', expected: { ...off, reason: 'DEFAULT' } },
    {
      key: 'new-checkout',
      context: { email: 'ada@shop.example' },
      expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'staff' },
    },
    { key: 'new-checkout', context: { email: 'ada@else.example' }, expected: { ...off, reason: 'DEFAULT' } },
    {
      key: 'new-checkout',
      context: { userId: 'u', plan: 'beta' },
      expected: { ...on, reason: 'SPLIT', ruleId: 'beta' },
    },
    {
      key: 'new-checkout',
      context: { email: 'ada@shop.example', plan: 'beta' },
      expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'staff' },
    },
    { key: 'first-wins', context: { a: 1 }, expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'one' } },
    { key: 'all-of', context: { a: 1 }, expected: { ...off, reason: 'DEFAULT' } },
    {
      key: 'all-of',
      context: { a: 1, b: 1 },
      expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'both' },
    },
    { key: 'any-of', context: { b: 1 }, expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'either' } },
    { key: 'zero-percent', context: { userId: 'u' }, expected: { ...off, reason: 'DEFAULT' } },
    {
      key: 'next-rule',
      context: { userId: 'u', a: 1 },
      expected: { ...on, reason: 'TARGETING_MATCH', ruleId: 'rest' },
    },
    {
      key: 'disabled-rule',
      context: { a: 1 },
      expected: { ...off, reason: expect.stringMatching(/^(STATIC|DEFAULT)$/) },
    },
    {
      key: 'by-company',
      context: { company: 'acme' },
      expected: { ...on, reason: 'SPLIT', ruleId: 'company' },
    },
    { key: 'by-company', context: { userId: 'u' }, expected: { ...off, reason: 'DEFAULT' } },
    { key: 'needs-banner', expected: { ...on, reason: 'STATIC' } },
    { key: 'needs-autumn', expected: { ...off, reason: 'DEFAULT' } },
  ];
  it.each(rows)(
    '$key $environment $context: $expected.reason',
    async ({ key, context, environment, expected }) => {
      expect(await evaluate(key, context, environment)).toEqual(expected);
    },
  );

  it('a rollout is by targetingKey, userId, email, visitorId or sessionId, in this order', async () => {
    const units = ['targetingKey', 'userId', 'email', 'visitorId', 'sessionId'];
    const valueFor = async (context: Record<string, string>) => (await evaluate('half', context)).value;
    const on: string[] = [];
    const off: string[] = [];
    for (let i = 0; on.length === 0 || off.length === 0; i++)
      ((await valueFor({ userId: `u${i}` })) ? on : off).push(`u${i}`);
    for (const [i, unit] of units.entries()) {
      const behind = Object.fromEntries(units.slice(i + 1).map((name) => [name, off[0]!]));
      expect([unit, await valueFor({ ...behind, [unit]: on[0]! })]).toEqual([unit, true]);
      const opposite = Object.fromEntries(units.slice(i + 1).map((name) => [name, on[0]!]));
      expect([unit, await valueFor({ ...opposite, [unit]: off[0]! })]).toEqual([unit, false]);
    }
    expect(await evaluate('half', { plan: 'x' })).toMatchObject({ value: false, reason: 'DEFAULT' });
  });
});

describe('flagKeys', () => {
  const keys = async (flagKeys?: unknown) =>
    Object.keys((await shop.evaluate({ flagKeys })).body.flags).sort();
  const all = ['banner', 'new-checkout', ...FLAGS.map(({ key }) => key)].sort();

  it('missing: all flags', async () => {
    expect(await keys()).toEqual(all);
  });

  it('only the listed flags; unknown ones are omitted', async () => {
    expect(await keys(['banner', 'off', 'nothing', 'banner'])).toEqual(['banner', 'off']);
  });

  it('empty: no flags', async () => {
    expect(await keys([])).toEqual([]);
    expect(await keys(['nothing'])).toEqual([]);
  });
});

describe('a session in the context', () => {
  const reasons = async (context: Record<string, unknown>) => {
    const { body } = await shop.evaluate({ context, flagKeys: ['for-visitor', 'for-user', 'for-session'] });
    return Object.fromEntries(
      Object.entries<{ value: boolean }>(body.flags).map(([key, { value }]) => [key.slice(4), value]),
    );
  };

  it('adds its visitor and user, as soon as they are known', async () => {
    expect(await reasons({ sessionId: 'known' })).toEqual({ visitor: false, user: false, session: true });
    await accepted(shop.collect({ sessionId: 'known', visitorId: 'v-known' }));
    expect(await reasons({ sessionId: 'known' })).toEqual({ visitor: true, user: false, session: true });
    await accepted(shop.collect({ sessionId: 'known', visitorId: 'v-known', userId: 'u-known' }));
    expect(await reasons({ sessionId: 'known' })).toEqual({ visitor: true, user: true, session: true });
    await accepted(shop.collect({ sessionId: 'known', visitorId: 'v-known' }));
    expect(await reasons({ sessionId: 'known' })).toEqual({ visitor: true, user: true, session: true });
  });

  it('does not override the context', async () => {
    await accepted(shop.collect({ sessionId: 'known', visitorId: 'v-known', userId: 'u-known' }));
    expect(await reasons({ sessionId: 'known', visitorId: 'v-else' })).toEqual({
      visitor: false,
      user: true,
      session: true,
    });
    expect(await reasons({ sessionId: 'known', userId: 'u-else' })).toEqual({
      visitor: true,
      user: false,
      session: true,
    });
  });

  it('of another property adds nothing', async () => {
    const body = { propertyId: 'other', sessionId: 'theirs', visitorId: 'v-known', userId: 'u-known' };
    await accepted(shop.server.call('POST', '/v1/sessions/collect', { key: OTHER_PUBLIC_KEY, body }));
    expect(await reasons({ sessionId: 'theirs' })).toEqual({ visitor: false, user: false, session: false });
  });

  it('that is unknown or invalid is ignored', async () => {
    expect(await reasons({ sessionId: 'unknown' })).toEqual({ visitor: false, user: false, session: false });
    for (const sessionId of [5, null, {}, '', 'x'.repeat(600)]) {
      expect(await reasons({ sessionId })).toEqual({ visitor: false, user: false, session: false });
    }
  });
});

describe('the version', () => {
  it('increases with every saved change of the flag, but not of others', async () => {
    const [before, other] = [await evaluate('off'), await evaluate('banner')];
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', flags: [{ key: 'off', name: 'Off for now' }] }],
    });
    await waitFor('the change', async () => (await evaluate('off')).version > before.version);
    expect((await evaluate('off')).version).toBe(before.version + 1);
    expect((await evaluate('banner')).version).toBe(other.version);
  });
});

describe('environments and limits', () => {
  it.each(['nowhere', 'Production', 'production '])(
    'an unknown environment, %j: 404',
    async (environment) => {
      expectProblem(await shop.evaluate({ environment }), { status: 404, code: 'environment_not_found' });
    },
  );

  it('an environment of another property: 404', async () => {
    const body = { propertyId: 'other', environment: 'staging' };
    const response = await shop.server.call('POST', '/v1/flags/evaluate', { key: OTHER_SECRET_KEY, body });
    expectProblem(response, { status: 404, code: 'environment_not_found' });
  });

  it('production always exists', async () => {
    const body = { propertyId: 'other' };
    const response = await shop.server.call('POST', '/v1/flags/evaluate', { key: OTHER_SECRET_KEY, body });
    expect(response.body).toEqual({ flags: {} });
  });

  const wrong: { name: string; fields: Record<string, unknown>; pointers: string[] }[] = [
    { name: 'an empty environment', fields: { environment: '' }, pointers: ['/environment'] },
    { name: 'an environment that is not a string', fields: { environment: 5 }, pointers: ['/environment'] },
    { name: 'a context that is a string', fields: { context: 'u-42' }, pointers: ['/context'] },
    { name: 'a context that is a list', fields: { context: [] }, pointers: ['/context'] },
    { name: 'a context of null', fields: { context: null }, pointers: ['/context'] },
    {
      name: 'a context of more than 64 KiB',
      fields: { context: { a: 'x'.repeat(65_529) } },
      pointers: ['/context'],
    },
    { name: 'a key instead of a list', fields: { flagKeys: 'banner' }, pointers: ['/flagKeys'] },
    {
      name: 'keys that are not strings',
      fields: { flagKeys: ['banner', 5, null] },
      pointers: ['/flagKeys/1', '/flagKeys/2'],
    },
    {
      name: 'more than 1000 keys',
      fields: { flagKeys: Array.from({ length: 1001 }, (_, i) => `k${i}`) },
      pointers: ['/flagKeys'],
    },
  ];
  it.each(wrong)('$name: 400', async ({ fields, pointers }) => {
    expectProblem(await shop.evaluate(fields), { status: 400, code: 'invalid_request', pointers });
  });

  it('a context of 64 KiB is accepted', async () => {
    expect(await evaluate('banner', { a: 'x'.repeat(65_528) })).toMatchObject({ value: 'spring' });
  });
});
