import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../platform/errors/errors.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const get = (path: string, headers: Record<string, string> = {}) =>
  shop.server.send('GET', path, { headers });

/** Same-origin URLs in a page: links, scripts, styles and images. */
const urlsIn = (html: string, path: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, target]) => new URL(target!, shop.server.url + path))
    .filter(({ origin }) => origin === shop.server.url);

describe('the documentation', () => {
  it('has pages whose links all lead somewhere, whatever page they are on', async () => {
    const seen = new Set(['/docs']);
    for (const path of seen) {
      const { status, headers, text } = await get(path, { accept: 'text/html' });
      expect([path, status]).toEqual([path, 200]);
      if (!headers.get('content-type')?.startsWith('text/html')) continue;
      // The dashboard has tests of its own.
      for (const { pathname } of urlsIn(text, path)) if (pathname !== '/') seen.add(pathname);
    }
    expect(seen.size).toBeGreaterThan(15);
    expect(seen).toContain('/docs/api');
  });

  it('documents every error at the URL in its problem document', async () => {
    const { body } = await get('/v1/nothing');
    expect(body.type).toBe('/docs/errors#not_found');
    const { text } = await get('/docs/errors');
    for (const code of Object.keys(ERRORS)) expect(text).toContain(` id="${code}"`);
  });

  it('allows only its own scripts and styles, none of them inline', async () => {
    for (const path of ['/docs', '/docs/api', '/docs/reference/sdk']) {
      const { headers, text } = await get(path);
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|http|\*/);
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]+\s(style|on\w+)=/);
    }
  });

  it('is compressed, and cached as long as it is unchanged', async () => {
    const { headers, text } = await get('/docs', { 'accept-encoding': 'br' });
    expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual(['br', 'no-cache']);
    expect((await get('/docs', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    const asset = urlsIn(text, '/docs').find(({ pathname }) => pathname.includes('/assets/'))!;
    const { headers: ofAsset } = await get(asset.pathname);
    expect(ofAsset.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('has the source of each page, and a list of them', async () => {
    expect((await get('/docs/llms.txt')).text).toContain('docs/guides/results.md');
    const { headers, text } = await get('/docs/guides/results.md');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toMatch(/^# /);
  });

  it.each([
    '/docs/unknown',
    '/docs/guides/unknown',
    '/docs/index.html',
    '/docs/index',
    '/docs/404',
    '/docs/..%2fpackage.json',
  ])('%s is 404: a page for people, a problem for programs', async (path) => {
    const page = await get(path, { accept: 'text/html,*/*' });
    expect([page.status, page.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(page.text).toContain('Page not found');
    const links = urlsIn(page.text, path).filter(({ hash }) => hash === '');
    for (const { pathname } of links) expect(pathname).toMatch(/^\/(docs\b.*|favicon\.svg)?$/);
    expect(links.map(({ pathname }) => pathname)).toContain('/docs/api');
    expect((await get(path)).body.error.code).toBe('not_found');
  });

  it('has one URL per page', async () => {
    const response = await fetch(`${shop.server.url}/docs/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([301, '../docs']);
  });
});
