import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const built = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../packages/sdk/dist/${path}`, import.meta.url)), 'utf8');

/** A website on another origin than the service. */
export interface Site {
  url: string;
  /** Serves a page at a path; returns its URL. */
  put(path: string, html: string): string;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const files = new Map([
    ['/sdk.js', { type: 'text/javascript', text: built('sdk.js') }],
    ['/browser.mjs', { type: 'text/javascript', text: built('esm/browser/browser.js') }],
    ['/split-testing.mjs', { type: 'text/javascript', text: built('esm/browser/split-testing.js') }],
  ]);
  const server = createServer((request, response) => {
    const file = files.get(request.url!.split('?', 1)[0]!);
    response.writeHead(file ? 200 : 404, { 'content-type': `${file?.type ?? 'text/plain'}; charset=utf-8` });
    response.end(file?.text ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    put(path, html) {
      files.set(path, { type: 'text/html', text: html });
      return url + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
