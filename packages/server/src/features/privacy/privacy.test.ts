import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const configure = async (privacy: object | null, others: object = {}) =>
  bodyOf(await owner.patch('', { privacy, ...others }, '*'));
beforeEach(() => configure(null, { retentionDays: null }));

let sessions = 0;
const newSession = () => `privacy-${++sessions}`;

/** A page view, as it is stored. */
async function view(fields: object, request: object = {}) {
  const sessionId = newSession();
  await accepted(
    shop.collect({ sessionId, visitorId: 'v-1', events: [{ type: 'pageview', ...fields }], ...request }),
  );
  const { timeline, ...session } = await shop.session(sessionId);
  return { ...session, ...timeline[0] };
}

/** Whether any file of the server contains the text. */
const isOnDisk = (text: string) =>
  readdirSync(shop.server.dataDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));

describe('of URLs', () => {
  it('only parameters that reports use are stored', async () => {
    const { url, referrer } = await view({
      url: 'https://shop.example/pay?utm_source=news&token=s3cr3t-in-url&email=ada%40shop.example&gclid=Cj0K#id=7',
      referrer: 'https://search.example/find?q=words-of-ada&ref=home',
    });
    expect(url).toBe('https://shop.example/pay?utm_source=news&gclid=1');
    expect(referrer).toBe('https://search.example/find?ref=home');
    expect(isOnDisk('s3cr3t-in-url')).toBe(false);
    expect(isOnDisk('words-of-ada')).toBe(false);
  });

  it('the property can allow others', async () => {
    await configure({ allowedParameters: ['q', 'page'] });
    expect((await view({ url: 'https://shop.example/?q=shoes&page=2&token=1' })).url).toBe(
      'https://shop.example/?q=shoes&page=2',
    );
  });
});

describe('what looks like a secret', () => {
  const email = 'ada.lovelace@shop.example';
  const token = 'Xk2p9QvLr7TzB4mNcW8sJd1H';
  const request = { attributes: { contact: email, plan: 'trial' } };
  const fields = {
    url: `https://shop.example/reset/${token}`,
    referrer: `https://shop.example/u/${email}`,
    title: `Orders of ${email}`,
    properties: { list: [email], card: '4111 1111 1111 1111' },
  };

  it('is masked in URLs, titles, attributes and properties', async () => {
    const stored = await view(fields, request);
    expect(stored).toMatchObject({
      url: 'https://shop.example/reset/[token]',
      referrer: 'https://shop.example/u/[email]',
      title: 'Orders of [email]',
      properties: { list: ['[email]'], card: '[card]' },
      attributes: { contact: '[email]', plan: 'trial' },
    });
    expect(isOnDisk(email)).toBe(false);
    expect(isOnDisk(token)).toBe(false);
  });

  it('is masked in attributes of exposures', async () => {
    const sessionId = newSession();
    await accepted(
      shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId, attributes: { contact: email } }),
    );
    expect(await shop.timeline(sessionId, 'exposure')).toMatchObject([
      { attributes: { contact: '[email]' } },
    ]);
  });

  it('is not masked if the property does not want it', async () => {
    await configure({ maskValues: false });
    expect(await view(fields, request)).toMatchObject({ ...fields, ...request });
  });
});

describe('the preset cnil', () => {
  it('stores no user, and only the origin of a referrer', async () => {
    await configure({ preset: 'cnil' }, { retentionDays: 365 });
    const sessionId = newSession();
    await accepted(
      shop.collect({
        sessionId,
        visitorId: 'v-1',
        userId: 'user-of-cnil',
        events: [
          { type: 'identify', properties: { plan: 'plan-of-cnil' } },
          { type: 'pageview', url: 'https://shop.example/a', referrer: 'https://search.example/path?ref=x' },
        ],
      }),
    );
    const { userId, referrer, timeline } = await shop.session(sessionId);
    expect({ userId, referrer }).toEqual({ userId: null, referrer: 'https://search.example/' });
    expect(timeline).toHaveLength(1);
    expect(isOnDisk('user-of-cnil')).toBe(false);
    expect(isOnDisk('plan-of-cnil')).toBe(false);
  });

  it('needs a retention of at most 25 months', async () => {
    for (const retentionDays of [null, 10_000]) {
      expectProblem(await owner.patch('', { retentionDays, privacy: { preset: 'cnil' } }, '*'), {
        status: 400,
        code: 'invalid_request',
        pointers: ['/retentionDays'],
      });
    }
    await configure({ preset: 'cnil' }, { retentionDays: 90 });
    expect((await owner.patch('', { retentionDays: null }, '*')).status).toBe(400);
  });
});

describe('the settings', () => {
  it('have defaults, and changes of them are in the history in words', async () => {
    expect((await owner.read('')).privacy).toEqual({ allowedParameters: [], maskValues: true, preset: null });
    await configure({ allowedParameters: ['q'], maskValues: false });
    const [{ summary }] = await owner.history('?limit=1');
    expect(summary).toEqual([
      'Property shop – Recorded query parameters added: q',
      'Property shop – No longer masks email addresses, tokens and card numbers',
    ]);
    expect((await owner.patch('', { privacy: { allowedParameters: ['a=b'] } }, '*')).status).toBe(400);
  });
});

describe('a preview', () => {
  it('shows stored URLs that would be stored otherwise, and names that were removed', async () => {
    await configure({ allowedParameters: ['previewed'], maskValues: false });
    const url = 'https://shop.example/preview/ada@shop.example?previewed=1&unwanted=2';
    await view({ url });
    await view({ url, referrer: 'https://search.example/?unwanted=1' });
    const before = 'https://shop.example/preview/ada@shop.example?previewed=1';
    const preview = async (privacy: object) => bodyOf(await owner.post('/privacy-preview', privacy));
    const unchanged = JSON.stringify((await preview({})).changed);
    expect(unchanged).not.toContain('previewed');
    const stricter = await preview({ allowedParameters: [], maskValues: true });
    expect(stricter.changed).toContainEqual({
      before,
      after: 'https://shop.example/preview/[email]',
      sessions: 2,
    });
    expect(stricter.removedToday).toContainEqual({ name: 'unwanted', count: 3 });
  });

  it('knows neither values nor any number of names', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `name-${index}=1`).join('&');
    await view({ url: `https://shop.example/?ada@shop.example&${names}` });
    const { removedToday } = bodyOf(await owner.post('/privacy-preview', {}));
    expect(removedToday.length).toBeLessThanOrEqual(201);
    expect(JSON.stringify(removedToday)).not.toContain('ada@');
    expect(removedToday[0]).toMatchObject({ name: '(others)' });
  });
});
