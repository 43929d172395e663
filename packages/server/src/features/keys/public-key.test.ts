import { OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const NEWER = 'service_pub_newer0123456789abcdef';

describe('GET /v1/keys/public', () => {
  it('returns the newest public key of the property', async () => {
    expect((await shop.get('/v1/keys/public')).body).toEqual({ publicApiKey: PUBLIC_KEY });
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', apiKeys: [{ kind: 'public', name: 'newer', key: NEWER }] }],
    });
    await waitFor('the change', async () => (await shop.get('/v1/keys/public')).body.publicApiKey === NEWER);
  });

  it('rejects keys of other properties and public keys', async () => {
    const response = await shop.get('/v1/keys/public', {}, OTHER_SECRET_KEY);
    expectProblem(response, { status: 403, code: 'wrong_property' });
    expectProblem(await shop.get('/v1/keys/public', {}, PUBLIC_KEY), { status: 403, code: 'wrong_key_kind' });
  });
});
