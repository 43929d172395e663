import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

interface Fetched {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** Fetches without decompressing the body. */
function fetchScript(path: string, headers: Record<string, string> = {}): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    get(shop.server.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}

async function hashedPath(name: string): Promise<string> {
  const { headers } = await shop.server.send('GET', `/${name}.js`);
  return `/${name}-${headers.get('etag')!.slice(1, -1)}.js`;
}

describe('the browser SDK for script tags', () => {
  it.each([
    ['sdk-audience', 'openAudiences'],
    ['sdk-audience-values', 'isHashed'],
  ])('comes with %s.js, which pages load when a test has an audience', async (name, exported) => {
    const { status, headers, body } = await fetchScript(`/${name}.js`);
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(body.toString()).toContain(`as ${exported}`);
  });

  it.each(['sdk', 'sdk-relay'])('%s.js defines `switchyard`, and is usable from any origin', async (name) => {
    const { status, headers, body } = await fetchScript(`/${name}.js`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'accept-encoding',
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toMatch(/switchyard\s*=/);
  });

  it('comes with debugging tools, a module for pages of any origin', async () => {
    const { status, headers, body } = await fetchScript('/sdk-debug.js');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(body.toString()).toMatch(/export\s*\{\s*\w+ as attach/);
  });

  it.each(['sdk', 'sdk-relay'])('%s.js has an immutable URL for each version', async (name) => {
    const path = await hashedPath(name);
    const { status, headers, body } = await fetchScript(path);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(body).toEqual((await fetchScript(`/${name}.js`)).body);
  });

  it.each([
    { accepts: 'gzip, deflate, br, zstd', coding: 'br', decompress: brotliDecompressSync },
    { accepts: 'gzip;q=1.0, br;q=0', coding: 'gzip', decompress: gunzipSync },
  ])('is sent as $coding to clients that accept "$accepts"', async ({ accepts, coding, decompress }) => {
    const { headers, body } = await fetchScript('/sdk.js', { 'accept-encoding': accepts });
    expect(headers['content-encoding']).toBe(coding);
    expect(decompress(body)).toEqual((await fetchScript('/sdk.js')).body);
  });

  it('is not sent again to clients that have it', async () => {
    const { headers } = await fetchScript('/sdk.js');
    const again = await fetchScript('/sdk.js', { 'if-none-match': headers.etag! });
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });

  it.each(['sdk', 'sdk-relay'])('%s.js: redirects the URLs of older versions', async (name) => {
    const old = await fetchScript(`/${name}-0123456789abcdef.js`);
    const headers = { location: `/${name}.js`, 'cache-control': 'no-store' };
    expect(old).toMatchObject({ status: 302, headers });
  });
});
