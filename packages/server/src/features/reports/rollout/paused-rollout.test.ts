import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, expect, it } from 'vitest';

const DAY = 86_400_000;
const START = Date.UTC(2030, 0, 7, 12);
const DUE = START + DAY;

/** Without visitors, a step that is due waits until the limit. */
const rule = {
  id: 'all',
  value: true,
  rollout: {
    percentage: 20,
    schedule: [{ at: new Date(DUE).toISOString(), percentage: 60 }],
    guardrails: [{ goalId: 'signup', maxHarm: 0.02 }],
    maxWaitDays: 10,
  },
};
const KEYS = ['search', 'basket'];
const FLAGS = KEYS.map((key) => ({
  key,
  type: 'boolean',
  defaultValue: false,
  environments: { production: { enabled: true, rules: [rule] } },
}));

const clock = new AdjustableClock();
let shop: Shop;
beforeAll(async () => {
  clock.freeze(START);
  shop = await openShop({ env: WITH_OWNER, provision: sampleWith({ flags: FLAGS }), wrap: clock.wrap });
});
afterAll(() => closeShop(shop));

/** Changes the environment at this time; whoever signed in before is signed out by then. */
async function change(at: number, fields: Readonly<Record<string, object>>): Promise<void> {
  clock.freeze(at);
  const manager = new PropertyManager(await ownerBrowser(shop.server));
  for (const [key, production] of Object.entries(fields))
    bodyOf(await manager.patch(`/flags/${key}`, { environments: { production } }, '*'));
}
const rollout = async (flagKey: string) =>
  bodyOf(await shop.get('/v1/flags/rollout', { flagKey, ruleId: 'all' }));

it('a step waits only while flag and rule are on', async () => {
  // After four days of waiting, a pause that is longer than the limit.
  await change(DUE + 4 * DAY, {
    search: { enabled: false },
    basket: { rules: [{ ...rule, enabled: false }] },
  });
  clock.freeze(DUE + 24 * DAY);
  for (const key of KEYS)
    expect(await rollout(key)).toMatchObject({ state: 'off', phases: [{ action: 'wait' }] });
  await change(DUE + 24 * DAY, { search: { enabled: true }, basket: { rules: [rule] } });
  clock.freeze(DUE + 29.9 * DAY);
  for (const key of KEYS)
    expect(await rollout(key)).toMatchObject({
      state: 'waiting',
      waitsSince: DUE,
      next: { at: DUE, percentage: 60 },
    });
  // The days before the pause count; a changed flag is looked at anew.
  const named = { rules: [{ ...rule, name: 'Everybody' }] };
  await change(DUE + 30 * DAY, { search: named, basket: named });
  for (const key of KEYS)
    await expect.poll(async () => (await rollout(key)).state, { timeout: 60_000 }).toBe('stayed');
});
