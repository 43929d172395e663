import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { startServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, it } from 'vitest';

const HOUR_MS = 3_600_000;

let shop: Shop;
afterEach(() => closeShop(shop));

/** The first phase of a test whose schedule came due while the server was down for three hours. */
async function phaseAfterDowntime(schedule: { startAt: number; stopAt?: number }) {
  const clock = new AdjustableClock();
  shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
  const owner = await ownerBrowser(shop.server);
  const variations = [{ key: 'a', weight: 1 }];
  const test = { type: 'id', variations, ...schedule };
  bodyOf(await new PropertyManager(owner).put('/split-tests/planned', test), 201);
  await shop.server.stop('SIGTERM');
  clock.set(3 * HOUR_MS);
  const restartedAt = Date.now() + 3 * HOUR_MS;
  const { dataDir } = shop.server;
  shop = new Shop(await startServer({ dataDir, env: WITH_OWNER, wrap: clock.wrap }));
  const browser = new Browser(shop.server);
  browser.cookies.set('switchyard_session', owner.cookies.get('switchyard_session')!);
  const manager = new PropertyManager(browser);
  const phases = await waitFor('the start', async () => {
    const { phases, status } = await manager.read('/split-tests/planned');
    return status === (schedule.stopAt ? 'stopped' : 'running') && phases;
  });
  expect(phases).toHaveLength(1);
  return { phase: phases[0], restartedAt };
}

it('shows the planned and the actual time of a test that was started late', async () => {
  const startAt = Date.now() + HOUR_MS;
  const { phase, restartedAt } = await phaseAfterDowntime({ startAt });
  expect(phase).toMatchObject({ startedAt: startAt, endedAt: null });
  expect(phase.servedFrom).toBeGreaterThanOrEqual(restartedAt);
  const results = await shop.get('/v1/split-testing/results', { splitTestKey: 'planned' }, SECRET_KEY);
  expect(results.body.phase).toMatchObject({ startedAt: startAt, servedFrom: phase.servedFrom });
});

it('shows that a test was never served', async () => {
  const startAt = Date.now() + HOUR_MS;
  const stopAt = startAt + HOUR_MS;
  const { phase } = await phaseAfterDowntime({ startAt, stopAt });
  expect(phase).toMatchObject({ startedAt: startAt, endedAt: stopAt, servedFrom: expect.any(Number) });
  expect(phase.servedFrom).toBeGreaterThan(stopAt);
});
