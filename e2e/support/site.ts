import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The text of a built file of the SDK. */
export const builtScript = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../packages/sdk/dist/${path}`, import.meta.url)), 'utf8');

/** A website on another origin than the service. */
export interface Site {
  url: string;
  /** Serves a page, or a file of another type, at a path; returns its URL. */
  put(path: string, text: string, type?: string): string;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const files = new Map([
    ['/sdk-loader.js', { type: 'text/javascript', text: builtScript('sdk-loader.js') }],
    ['/sdk.js', { type: 'text/javascript', text: builtScript('sdk.js') }],
    ['/browser.mjs', { type: 'text/javascript', text: builtScript('esm/browser/browser.js') }],
    ['/split-testing.mjs', { type: 'text/javascript', text: builtScript('esm/browser/split-testing.js') }],
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
    put(path, text, type = 'text/html') {
      files.set(path, { type, text });
      return url + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
