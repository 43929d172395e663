import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserSuite } from '../support/browser-suite.ts';
import { bundlePage } from '../support/bundle-page.ts';
import { patientPage, sessionsOf, sorted } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const readme = readFileSync(at('packages/sdk/README.md'), 'utf8');

/** Writes the snippets of the README to files for the bundler; libraries come from the repository. */
function writeSnippets(apiUrl: string): string {
  mkdirSync(at('node_modules/.cache'), { recursive: true });
  const folder = mkdtempSync(at('node_modules/.cache/switchyard-react-'));
  mkdirSync(join(folder, 'node_modules/@switchyard'), { recursive: true });
  symlinkSync(at('packages/sdk'), join(folder, 'node_modules/@switchyard/sdk'));
  for (const [, name, code] of readme.matchAll(/```tsx\n\/\/ ([\w-]+\.tsx)\n([\s\S]*?)```/g)) {
    const text = patientPage(code!)
      .replace('https://switchyard.example', apiUrl)
      .replace('service_pub_your_key', PUBLIC_KEY);
    writeFileSync(join(folder, name!), text);
  }
  return folder;
}

const CLIENT_ONLY =
  '<!doctype html><title>Shop</title><div id="root"></div><script type="module" src="/main.js"></script>';

interface Rendered {
  script(): string;
  setCookie: string[];
  bootstrap: object | null;
}

describe.skipIf(isMissing)('the React example of the README', () => {
  let folder: string;
  let site: Server;
  let url: string;
  let client: { splitTest: { forRequest(request: unknown): Promise<Rendered> }; close(): Promise<void> };

  beforeAll(async () => {
    folder = writeSnippets(suite.server.url);
    const [page, main, server] = await Promise.all([
      bundlePage(folder, 'page', 'browser'),
      bundlePage(folder, 'main', 'browser'),
      bundlePage(folder, 'server', 'node'),
    ]);
    const { render } = await import(pathToFileURL(server).href);
    const { createSwitchyard } = await import(pathToFileURL(at('packages/sdk/dist/esm/node/node.js')).href);
    client = createSwitchyard({ apiUrl: suite.server.url, secretApiKey: SECRET_KEY, propertyId: 'shop' });
    const scripts = new Map([
      ['/page.js', readFileSync(page, 'utf8')],
      ['/main.js', readFileSync(main, 'utf8')],
    ]);
    site = createServer(async (request, response) => {
      const script = scripts.get(request.url!);
      if (script !== undefined) {
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
        return;
      }
      if (request.url === '/client-only') {
        response.writeHead(200, { 'content-type': 'text/html' }).end(CLIENT_ONLY);
        return;
      }
      const tests = await client.splitTest.forRequest(request);
      const html = render(tests) as string;
      // A page that was rendered without the visitor.
      const bare = html.replace(/<script>.*?<\/script>/, '').replace(/>(Buy|Get it)</, '>Buy<');
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': tests.setCookie });
      response.end(request.url === '/bare' ? bare : html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://localhost:${(site.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await client?.close();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve) ?? resolve(undefined));
    rmSync(folder, { recursive: true, force: true });
  });

  const visitorOf = async () => {
    const cookies = await suite.context.cookies();
    return cookies.find(({ name }) => name === 'sy_visitor')!.value;
  };

  test.for(['/', '/bare'])(
    '%s: shows the variation without a hydration mismatch, and counts it once',
    async (path) => {
      const { page, consoleMessages, server } = suite;
      const first = await fetch(url + path).then((response) => response.text());
      expect(first).toMatch(/<button>(Buy|Get it)<\/button>/);
      await page.goto(url + path);
      const id = await visitorOf();
      const hero = await page.evaluate<string>(
        `new Promise((resolve) => {
        const text = () => document.querySelector('button').textContent;
        const poll = () => (localStorage.length > 0 ? resolve(text()) : setTimeout(poll, 20));
        poll();
      })`,
      );
      await waitFor('the exposure', async () => {
        const [session] = await sessionsOf(server, id);
        return session?.timeline.some(({ type }: { type: string }) => type === 'exposure');
      });
      const shown = await page.textContent('button');
      const [session] = await sessionsOf(server, id);
      const exposures = sorted(session!).filter((line) => line.startsWith('exposure'));
      expect(exposures).toEqual([`exposure hero=${shown === 'Get it' ? 'b' : 'control'}`]);
      if (path === '/') expect(hero).toBe(shown);
      await page.click('button');
      await waitFor('the event', async () => {
        const [again] = await sessionsOf(server, id);
        return again && sorted(again).includes('event bought');
      });
      // React logs a hydration mismatch as an error.
      expect(consoleMessages.filter((line) => !line.includes('React DevTools'))).toEqual([]);
    },
  );

  test('renders a page without a server', async () => {
    const { page, consoleMessages, server } = suite;
    await page.goto(`${url}/client-only`);
    await page.waitForSelector('button');
    await waitFor('the exposure', async () => {
      const id = (await suite.context.cookies()).find(({ name }) => name === 'sy_visitor')?.value;
      const [session] = id === undefined ? [] : await sessionsOf(server, id);
      return session?.timeline.some(({ type }: { type: string }) => type === 'exposure');
    });
    expect(await page.textContent('button')).toMatch(/^(Buy|Get it)$/);
    expect(consoleMessages.filter((line) => !line.includes('React DevTools'))).toEqual([]);
  });
});
