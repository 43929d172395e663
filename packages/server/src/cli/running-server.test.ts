import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyProvision, switchyard } from '../testing/command-line.ts';
import { closeShop, openShop, type Shop } from '../testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

// Scripts go on with the next line: `KEY=$(switchyard keys create …)`, and then a request with it.
describe('when a command has ended, the running server knows', () => {
  it('the key that was created, and that it was deleted', async () => {
    const named = ['--property', 'shop', '--kind', 'secret', '--name', 'script'];
    const created = await switchyard(shop.server, 'keys', 'create', '--json', ...named);
    const { key } = JSON.parse(created.stdout);
    expect((await shop.get('/v1/flags/list', {}, key)).status).toBe(200);
    const listed = await switchyard(shop.server, 'keys', 'list', '--json');
    const { id } = JSON.parse(listed.stdout).keys.find(({ name }: { name: string }) => name === 'script');
    expect((await switchyard(shop.server, 'keys', 'delete', id)).code).toBe(0);
    expect((await shop.get('/v1/flags/list', {}, key)).status).toBe(401);
  });

  it('what was applied', async () => {
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', goals: [{ id: 'applied', kind: 'count' }] }],
    });
    expect((await shop.increment({ goalId: 'applied' })).status).toBe(200);
  });
});
