import { closeShop, openShop, Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { startServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const HOUR = 3_600_000;
const clock = new AdjustableClock();
let shop: Shop;
let manager: PropertyManager;

beforeAll(async () => {
  clock.set(HOUR);
  shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const setBanner = async (value: string) =>
  bodyOf(await manager.patch('/flags/banner', { environments: { production: { value } } }, '*'));

/** What is served, what the explanation of this moment says, and the newest change until now. */
async function seen(): Promise<unknown[]> {
  const { flags } = bodyOf(await shop.evaluate({ context: {} }));
  const now = Date.now();
  const explained = bodyOf(
    await manager.post('/explanations', { type: 'flag', key: 'banner', context: {}, at: now }),
  );
  const [newest] = await manager.history(`?to=${now}&entity=flag&key=banner`);
  return [flags.banner.value, explained.value, newest?.changes[0]?.after];
}

describe('a server whose clock was an hour ahead', () => {
  it('answers questions about the past with what it serves', async () => {
    await setBanner('ahead');
    clock.set(0);
    expect(await seen()).toEqual(['ahead', 'ahead', 'ahead']);
    await setBanner('corrected');
    expect(await seen()).toEqual(['corrected', 'corrected', 'corrected']);
    const [newest, previous] = await manager.history('?entity=flag&key=banner');
    expect(newest.at).toBeLessThan(previous.at);
    expect(newest.orderedAt).toBe(previous.orderedAt + 1);
  });

  it('does so after it was restarted with the corrected clock', async () => {
    clock.set(HOUR);
    await setBanner('ahead again');
    const { dataDir } = shop.server;
    await shop.server.stop();
    clock.set(0);
    shop = new Shop(await startServer({ dataDir, env: WITH_OWNER, wrap: clock.wrap }));
    manager = new PropertyManager(await ownerBrowser(shop.server));
    expect(await seen()).toEqual(['ahead again', 'ahead again', 'ahead again']);
  });
});
