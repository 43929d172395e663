import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, it } from 'vitest';

let shop: Shop;
afterEach(() => closeShop(shop));

const key = (text: string) => ({ 'idempotency-key': text });
/** Retries while the journal is full of requests that are about to be loaded. */
const count = (text: string) =>
  waitFor('space in the journal', async () => {
    const response = await shop.increment({ goalId: 'signup' }, key(text));
    return response.status !== 503 && response;
  });

it('keys are not part of what JOURNAL_MAX_BYTES limits', async () => {
  // Space for a few requests, and for fewer keys, of 16 bytes, than are used here.
  const env = { JOURNAL_MAX_BYTES: '4096' };
  shop = await openShop({ env });
  for (let i = 0; i < 300; i++) expectAccepted(await count(`key-${i}`));
  expect(await shop.server.stop()).toBe(0);
  shop = await openShop({ env, dataDir: shop.server.dataDir });
  for (let i = 0; i < 300; i += 50) expectAccepted(await count(`key-${i}`));
  expectProblem(await shop.increment({ goalId: 'signup', amount: 1 }, key('key-0')), {
    status: 422,
    code: 'idempotency_key_reused',
  });
  expect((await shop.progress('signup')).current.count).toBe(300);
});
