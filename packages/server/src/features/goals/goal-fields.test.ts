import {
  accepted,
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const STEPS = ['increment', 'decrement'] as const;
const wrong = (pointer: string) => ({ status: 400, code: 'invalid_request', pointers: [pointer] });

let scenarios = 0;
const newSession = () => `goal-${++scenarios}`;

// Both endpoints have the same fields and limits, except for the amount.
describe.each(STEPS)('%s', (step) => {
  const count = async () => (await shop.progress('signup')).current.count;

  describe('sessionId', () => {
    const valid = [
      { name: 'letters, digits and hyphens', sessionId: `aZ09-${step}` },
      { name: '128 characters', sessionId: `${step}-`.padEnd(128, 'x') },
      { name: 'a single hyphen', sessionId: '-' },
    ];
    it.each(valid)('$name: attributed', async ({ sessionId }) => {
      expectAccepted(await shop[step]({ goalId: 'signup', sessionId }));
      expect((await shop.session(sessionId)).goals).toMatchObject([{ goalId: 'signup' }]);
    });

    const invalid = [
      { name: '129 characters', sessionId: 'x'.repeat(129) },
      { name: 'an empty string', sessionId: '' },
      { name: 'an underscore', sessionId: 'a_b' },
      { name: 'a space', sessionId: 'a b' },
      { name: 'a dot', sessionId: 'a.b' },
      { name: 'a slash', sessionId: 'a/b' },
      { name: 'a non-ASCII letter', sessionId: 'é' },
      { name: 'a non-ASCII digit', sessionId: '٣' },
      { name: 'an emoji', sessionId: '💡' },
      { name: 'a trailing line break', sessionId: 'abc\n' },
      { name: 'a NUL', sessionId: 'a\u0000' },
      { name: 'a number', sessionId: 5 },
      { name: 'null', sessionId: null },
      { name: 'a list', sessionId: ['abc'] },
    ];
    it.each(invalid)('$name: 400, and nothing counted', async ({ sessionId }) => {
      const before = await count();
      expectProblem(await shop[step]({ goalId: 'signup', sessionId }), wrong('/sessionId'));
      expect(await count()).toBe(before);
    });

    it('missing: counts in totals', async () => {
      const before = await count();
      expectAccepted(await shop[step]({ goalId: 'signup' }));
      expect(await count()).toBe(before + (step === 'increment' ? 1 : -1));
    });
  });

  describe('metadata', () => {
    const pairs = (number: number) =>
      Object.fromEntries(Array.from({ length: number }, (_, i) => [`k${i}`, `v${i}`]));
    const valid: { name: string; metadata: Record<string, string> }[] = [
      { name: 'none', metadata: {} },
      { name: '5 keys', metadata: pairs(5) },
      { name: 'a key of 256 characters', metadata: { ['k'.repeat(256)]: 'v' } },
      { name: 'a value of 256 characters', metadata: { k: 'v'.repeat(256) } },
      { name: 'a key of 256 emoji', metadata: { ['💡'.repeat(256)]: 'v' } },
      { name: 'a value of 256 emoji', metadata: { k: '💡'.repeat(256) } },
      { name: 'an empty key and an empty value', metadata: { '': '' } },
      { name: 'special characters', metadata: { 'a/b~c"d\\': "'; DROP TABLE goals; --\n\t\u0000\u2028" } },
    ];
    it.each(valid)('$name: stored', async ({ metadata }) => {
      const sessionId = newSession();
      expectAccepted(await shop[step]({ goalId: 'signup', sessionId, metadata }));
      const [goal] = await shop.timeline(sessionId, 'goal');
      expect(goal.metadata ?? {}).toEqual(metadata);
    });

    const invalid: { name: string; metadata: unknown; pointer: string }[] = [
      { name: '6 keys', metadata: pairs(6), pointer: '/metadata' },
      {
        name: 'a key of 257 characters',
        metadata: { ['k'.repeat(257)]: 'v' },
        pointer: `/metadata/${'k'.repeat(257)}`,
      },
      {
        name: 'a key of 257 emoji',
        metadata: { ['💡'.repeat(257)]: 'v' },
        pointer: `/metadata/${'💡'.repeat(257)}`,
      },
      { name: 'a value of 257 characters', metadata: { k: 'v'.repeat(257) }, pointer: '/metadata/k' },
      { name: 'a value of 257 emoji', metadata: { k: '💡'.repeat(257) }, pointer: '/metadata/k' },
      { name: 'a number', metadata: { k: 5 }, pointer: '/metadata/k' },
      { name: 'a boolean', metadata: { k: true }, pointer: '/metadata/k' },
      { name: 'null', metadata: { k: null }, pointer: '/metadata/k' },
      { name: 'an object', metadata: { k: {} }, pointer: '/metadata/k' },
      { name: 'a list', metadata: { k: ['v'] }, pointer: '/metadata/k' },
      { name: 'a list instead of an object', metadata: ['k', 'v'], pointer: '/metadata' },
      { name: 'a string instead of an object', metadata: 'k=v', pointer: '/metadata' },
      { name: 'null instead of an object', metadata: null, pointer: '/metadata' },
    ];
    it.each(invalid)('$name: 400, and nothing stored', async ({ metadata, pointer }) => {
      const sessionId = newSession();
      expectProblem(await shop[step]({ goalId: 'signup', sessionId, metadata }), wrong(pointer));
      expect(await shop.isUnknown(sessionId)).toBe(true);
    });
  });

  describe('goalId', () => {
    const invalid = [
      { name: 'missing', goalId: undefined },
      { name: 'empty', goalId: '' },
      { name: 'a number', goalId: 5 },
      { name: 'null', goalId: null },
    ];
    it.each(invalid)('$name: 400', async ({ goalId }) => {
      expectProblem(await shop[step]({ goalId }), wrong('/goalId'));
    });

    const unknown = ['nothing', 'Signup', 'signup ', 'elsewhere', 'signup/../revenue'];
    it.each(unknown)('%j is not a goal of this property: 404, and nothing stored', async (goalId) => {
      const sessionId = newSession();
      expectProblem(await shop[step]({ goalId, sessionId, amount: 1 }), {
        status: 404,
        code: 'goal_not_found',
      });
      expect(await shop.isUnknown(sessionId)).toBe(true);
    });
  });
});

describe('in a session', () => {
  it('count and amount are net, per goal', async () => {
    const sessionId = newSession();
    await accepted(
      shop.increment({ goalId: 'revenue', sessionId, amount: 30.3 }),
      shop.increment({ goalId: 'revenue', sessionId, amount: 0.1 }),
      shop.increment({ goalId: 'revenue', sessionId, amount: 0.2 }),
    );
    await accepted(
      shop.decrement({ goalId: 'revenue', sessionId, amount: 30.3, metadata: { reason: 'refund' } }),
    );
    await accepted(shop.increment({ goalId: 'signup', sessionId }));
    const { goals } = await shop.session(sessionId);
    expect(goals).toHaveLength(2);
    expect(goals).toEqual(
      expect.arrayContaining([
        { goalId: 'revenue', count: 2, amount: 0.3 },
        { goalId: 'signup', count: 1, amount: 0 },
      ]),
    );
    const refunds = (await shop.timeline(sessionId, 'goal')).filter(({ count }) => count === -1);
    expect(refunds).toEqual([
      {
        at: expect.any(Number),
        type: 'goal',
        goalId: 'revenue',
        count: -1,
        amount: -30.3,
        metadata: { reason: 'refund' },
      },
    ]);
  });
});
