import { expect, it } from 'vitest';
import { exposedUnit, hashedUnit } from './exposed-unit.ts';

const shop = { propertyId: 'shop' };

it.each<[string, object, string, object]>([
  [
    'a session, whoever else is named',
    { sessionId: 's', visitorId: 'v', userId: 'u' },
    'u',
    { sessionId: 's' },
  ],
  ['a visitor', { visitorId: 'v' }, 'v', { visitorId: 'v' }],
  ['a user', { userId: 42 }, '42', { userId: '42' }],
  ['both', { visitorId: 'v', userId: 'u', email: 'a@b.c' }, 'a@b.c', { visitorId: 'v', userId: 'u' }],
  ['a targeting key', { targetingKey: 'k' }, 'k', { visitorId: 'k' }],
])('%s', (_name, context, unit, expected) => {
  expect(exposedUnit(shop, context as Record<string, unknown>, unit)).toEqual(expected);
});

it('what is neither is stored as a hash, different in each property', () => {
  for (const [context, unit] of [
    [{ email: 'ada@shop.example' }, 'ada@shop.example'],
    [{ targetingKey: 'ada@shop.example' }, 'ada@shop.example'],
    [{ company: 'Acme' }, 'Acme'],
    [{ userId: 'u'.repeat(257) }, 'u'.repeat(257)],
    [{ targetingKey: 'k'.repeat(257) }, 'k'.repeat(257)],
    [{ sessionId: 's'.repeat(501) }, 's'.repeat(501)],
  ] as const) {
    const { visitorId = '' } = exposedUnit(shop, context, unit);
    expect(visitorId).toBe(hashedUnit(['shop', unit]));
    expect(visitorId).not.toContain(unit);
    expect(exposedUnit({ propertyId: 'other' }, context, unit).visitorId).not.toBe(visitorId);
  }
});

it('ids are as long as everywhere else, in characters as JSON Schema counts them', () => {
  const context = { sessionId: 's'.repeat(500), visitorId: '🛒'.repeat(256), userId: 'u'.repeat(256) };
  const { sessionId, ...people } = context;
  expect(exposedUnit(shop, context, 'u')).toEqual({ sessionId });
  expect(exposedUnit(shop, people, 'u')).toEqual(people);
  expect(exposedUnit(shop, { ...people, sessionId: `${sessionId}s` }, 'u')).toEqual(people);
});

it('user ids that must not be stored are hashed, too', () => {
  const own = { ...shop, keepsUsers: false };
  expect(exposedUnit(own, { userId: 'ada' }, 'ada')).toEqual({ visitorId: hashedUnit(['shop', 'ada']) });
  expect(exposedUnit(own, { userId: 'ada', visitorId: 'v' }, 'ada')).toEqual({ visitorId: 'v' });
});
