import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyard } from '@switchyard/testing/server/command-line';
import { PropertyManager } from '@switchyard/testing/server/property-manager';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ENV = { ...WITH_OWNER, TRUST_PROXY: 'true' };
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: ENV });
});
afterAll(() => closeShop(shop));

const identityOf = async (address: string, userAgent: string) => {
  const response = await shop.browse(
    '/v1/sessions/daily-identity',
    { propertyId: 'shop' },
    { 'x-forwarded-for': address, 'user-agent': userAgent },
  );
  expect(response.status, response.text).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response.body;
};

const database = () => new DatabaseSync(join(shop.server.dataDir, 'config.db'));

describe('a daily identity', () => {
  it('is the same for the same address and browser, until the end of the day', async () => {
    const first = await identityOf('192.0.2.1', 'Firefox');
    expect(first.id).toMatch(/^cookieless-[0-9a-f]{32}$/);
    expect(first.expiresAt % DAY_MS).toBe(0);
    expect(first.expiresAt).toBeGreaterThan(Date.now());
    expect(await identityOf('192.0.2.1', 'Firefox')).toEqual(first);
    const others = [await identityOf('192.0.2.2', 'Firefox'), await identityOf('192.0.2.1', 'Safari')];
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(3);
  });

  it('survives a restart, but not the day: its salt is deleted from all files', async () => {
    const before = await identityOf('192.0.2.1', 'Firefox');
    await shop.server.stop();
    shop = await openShop({ env: ENV, dataDir: shop.server.dataDir });
    expect(await identityOf('192.0.2.1', 'Firefox')).toEqual(before);
    const connection = database();
    const [row, ...more] = connection.prepare('select day, salt from daily_salts').all();
    expect(more).toEqual([]);
    const { salt } = row as { salt: string };
    const backup = join(shop.server.dataDir, '..', `${basename(shop.server.dataDir)}-backup`);
    const { code, stderr } = await switchyard(shop.server, 'backup', backup);
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(backup, 'config.db')).includes(salt)).toBe(false);
    rmSync(backup, { recursive: true });
    // A day passes.
    connection.exec('pragma busy_timeout = 10000; update daily_salts set day = day - 1');
    connection.close();
    await waitFor('the deletion of the salt', () => {
      const reader = database();
      const { count } = reader.prepare('select count(*) as count from daily_salts').get() as {
        count: number;
      };
      reader.close();
      return count === 0;
    });
    await waitFor(
      'the salt to be gone from all files',
      () =>
        !readdirSync(shop.server.dataDir)
          .filter((name) => name.startsWith('config.db'))
          .some((name) => readFileSync(join(shop.server.dataDir, name)).includes(salt)),
    );
  });
});

describe('a session without cookies', () => {
  const id = 'cookieless-0123456789abcdef';

  beforeAll(async () => {
    await accepted(
      shop.collect({
        sessionId: id,
        visitorId: id,
        userId: 'u-cookieless',
        events: [{ type: 'identify' }, { type: 'pageview', url: 'https://shop.example/cookieless' }],
      }),
      shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: id }),
      shop.increment({ goalId: 'signup', sessionId: id }),
      shop.submit({ feedbackTypeId: 'nps', sessionId: id, option: 'good' }),
    );
  });

  it('is counted in traffic, tests and goals', async () => {
    const { body } = await shop.get('/v1/traffic/summary');
    expect(body.current).toMatchObject({ visitors: 1, sessions: 1 });
    expect((await shop.progress('signup')).current.count).toBe(1);
    expect(JSON.stringify(await shop.results('hero'))).toContain('"visitors":1');
  });

  it('is in no list, timeline, export or explanation', async () => {
    expect((await shop.sessions()).sessions).toEqual([]);
    expect((await shop.sessions({ visitorId: id })).sessions).toEqual([]);
    expect(await shop.isUnknown(id)).toBe(true);
    const none = { sessionId: null, visitorId: null, userId: null };
    expect((await shop.get('/v1/goals/conversions')).body.conversions).toMatchObject([none]);
    expect((await shop.feedback()).feedback).toMatchObject([none]);
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const explained = await owner.post('/explanations', { type: 'split-test', key: 'hero', sessionId: id });
    expect(explained.status).toBe(404);
    expect((await owner.get(`/sessions/${id}/flags`)).status).toBe(404);
  });
});
