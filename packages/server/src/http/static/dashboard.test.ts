import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const get = (path: string, headers: Record<string, string> = {}) =>
  shop.server.send('GET', path, { headers });

const assetsIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

describe('the dashboard', () => {
  it.each(['/', '/sign-in', '/p/shop/flags/new-checkout?tab=history', '/account'])(
    '%s is its page, also on reload',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).toContain('<title>Switchyard</title>');
    },
  );

  it('allows only its own scripts and styles, with a new nonce per response', async () => {
    const [first, second] = [await get('/'), await get('/')];
    const policy = first.headers.get('content-security-policy')!;
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
    expect(first.text).toContain(`nonce="${nonce}"`);
    expect(first.text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(first.text).not.toContain('__CSP_NONCE__');
    expect(second.text).not.toContain(nonce);
  });

  it('tells the page whether the browser sent a session cookie, which its scripts cannot read', async () => {
    const sent = { cookie: 'theme=dark; switchyard_session=anything' };
    expect((await get('/')).text).toContain('name="session-cookie" content="none"');
    expect((await get('/', sent)).text).toContain('name="session-cookie" content="sent"');
  });

  it('has compressed files that never change', async () => {
    const paths = assetsIn((await get('/')).text);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const { status, headers } = await get(path, { 'accept-encoding': 'br' });
      expect([path, status, headers.get('content-encoding')]).toEqual([path, 200, 'br']);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const known = await get(path, { 'if-none-match': headers.get('etag')! });
      expect(known.status).toBe(304);
    }
  });

  it.each(['/assets/index.js', '/assets/..%2findex.html', '/assets/%2e%2e/source-hash', '/unknown'])(
    '%s is 404',
    async (path) => {
      const { status, body } = await get(path);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    },
  );
});
