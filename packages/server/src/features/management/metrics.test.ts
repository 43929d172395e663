import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ORDER_VALUE = {
  id: 'order-value',
  name: 'Order value',
  kind: 'ratio',
  numerator: { goalId: 'revenue', of: 'sum' },
  denominator: { goalId: 'revenue', of: 'count' },
};
const TEST = {
  key: 'measured',
  type: 'id',
  status: 'running',
  variations: [
    { key: 'a', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  goals: [{ metric: 'order-value' }],
};

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  const provision = sampleWith({ metrics: [ORDER_VALUE], splitTests: [TEST] });
  shop = await openShop({ provision, env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

it('cannot be deleted while a test uses it, and keeps its goals', async () => {
  const metric = errorOf(await manager.delete('/metrics/order-value', '*'), 409, 'in_use');
  expect(metric.references).toEqual([{ type: 'split-test', key: 'measured' }]);
  expect(metric.error.message).toBe('The metric "order-value" is used by split test "measured".');
  const goal = errorOf(await manager.delete('/goals/revenue', '*'), 409, 'in_use');
  expect(goal.references).toEqual([{ type: 'metric', key: 'order-value' }]);
});

it('computes the same as long as a test that has started uses it', async () => {
  const change = { denominator: { goalId: 'signup' }, lowerIsBetter: true, description: 'Net of refunds' };
  const refused = errorOf(await manager.patch('/metrics/order-value', change, '*'), 400, 'invalid_request');
  const detail =
    'cannot change: the split test "measured" has started with it. Create a metric with another id instead';
  expect(refused.errors).toEqual([
    { pointer: '/lowerIsBetter', code: 'invalid', detail },
    { pointer: '/denominator', code: 'invalid', detail },
  ]);
  const allowed = { description: 'Net of refunds', tags: ['orders'], format: 'money' };
  const described = bodyOf(await manager.patch('/metrics/order-value', allowed, 1));
  expect(described).toMatchObject({ ...ORDER_VALUE, ...allowed, version: 2 });
});

it('can be tried, has a history in words, and can be restored', async () => {
  const searches = { kind: 'event', event: 'search', of: 'count', withinDays: 3 };
  const tried = bodyOf(await manager.put('/metrics/searches?dryRun=true', searches));
  expect(tried).toMatchObject({
    dryRun: true,
    summary: ['Metric searches – created'],
  });
  errorOf(await manager.get('/metrics/searches'), 404, 'not_found');
  bodyOf(await manager.put('/metrics/searches', searches), 201);
  const changed = { ...searches, event: 'find', of: 'visitors' };
  const { version } = bodyOf(await manager.put('/metrics/searches', changed, 1));
  const { history } = await manager.read('/history?entity=metric&key=searches');
  expect(history[0]).toMatchObject({
    action: 'update',
    summary: ['Metric searches – Event: “search” → “find”', 'Metric searches – Measures: count → visitors'],
  });
  bodyOf(await manager.post(`/history/${history[0].id}/restore`));
  expect(await manager.read('/metrics/searches')).toMatchObject({ ...searches, version: version + 1 });
  // Null members stay out of the way of another kind.
  const page = { kind: 'page', of: 'visitors', event: null };
  expect(bodyOf(await manager.patch('/metrics/searches', page, '*'))).toMatchObject({
    kind: 'page',
    path: null,
  });
  expect((await manager.delete('/metrics/searches', '*')).status).toBe(204);
});

it('merges changes of different fields, and refuses those of the same', async () => {
  bodyOf(await manager.put('/metrics/home', { kind: 'page', path: '/' }), 201);
  bodyOf(await manager.patch('/metrics/home', { name: 'Home' }, 1));
  expect(bodyOf(await manager.patch('/metrics/home', { path: '/home' }, 1))).toMatchObject({
    name: 'Home',
    path: '/home',
    version: 3,
  });
  errorOf(await manager.patch('/metrics/home', { name: 'Start' }, 1), 412, 'version_conflict');
});
