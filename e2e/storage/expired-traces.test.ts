import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { storedTraces, uniqueText } from '@switchyard/testing/server/stored-traces';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';

let shop: Shop;
afterEach(() => closeShop(shop));

const provision = sampleWith({ retentionDays: 1 });

/** Not so long that it is masked as a token. */
const shortText = () => uniqueText().slice(0, 20);

/** Sends everything that can be stored about a visit; returns texts that only this visit contains. */
async function visit(): Promise<string[]> {
  const [sessionId, visitorId, note, page, message] = Array.from({ length: 5 }, shortText);
  await accepted(
    shop.collect({
      sessionId,
      visitorId,
      attributes: { note },
      events: [{ type: 'pageview', url: `https://shop.example/${page}` }],
    }),
    shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId }),
    shop.increment({ goalId: 'signup', sessionId }, { 'idempotency-key': uniqueText() }),
    shop.submit({ feedbackTypeId: 'nps', sessionId, message }),
  );
  return [sessionId, visitorId, note, page, message] as string[];
}

const traces = (texts: readonly string[]) => storedTraces(shop.server.dataDir, texts);
const sessionCount = async () => (await shop.sessions()).sessions.length;

test('what has expired is gone from all files within a day, in a small store, without a restart', async () => {
  const clock = new AdjustableClock();
  shop = await openShop({ provision, wrap: clock.wrap });
  const old = await visit();
  expect(await sessionCount()).toBe(1);
  // Makes sure that the search works.
  for (const text of old) expect(traces([text]), text).not.toEqual([]);

  clock.set(DAY_MS + HOUR_MS);
  const young = await visit();
  await waitFor('the deletion of expired events', async () => (await sessionCount()) === 1);
  clock.set(2 * DAY_MS);
  await waitFor('clean files', () => traces(old).length === 0);
  expect(await sessionCount()).toBe(1);
  for (const text of young) expect(traces([text]), text).not.toEqual([]);
});

test('also when the server is killed in between', async () => {
  const clock = new AdjustableClock();
  shop = await openShop({ provision, wrap: clock.wrap });
  const old = await visit();
  clock.set(DAY_MS + HOUR_MS);
  await waitFor('the deletion of expired events', async () => (await sessionCount()) === 0);
  await shop.server.stop('SIGKILL');
  const { dataDir } = shop.server;
  shop = await openShop({ dataDir, provision, wrap: clock.wrap });
  expect(traces(old)).not.toEqual([]);
  await shop.server.stop('SIGKILL');
  clock.set(2 * DAY_MS);
  shop = await openShop({ dataDir, provision, wrap: clock.wrap });
  await waitFor('clean files', () => traces(old).length === 0);
});
