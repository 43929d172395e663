import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { discard, startServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { findChromium, type OpenBrowser, openBrowser } from './chromium.ts';
import { type Site, startSite } from './site.ts';
import { pageWithSdk, sessionsOf, sorted, VISITED, watchTroubles } from './visits.ts';

/** What the tests of a file share; `page` and `context` are fresh for each test, and so is their visitor. */
export class BrowserSuite {
  server!: TestServer;
  site!: Site;
  context!: BrowserContext;
  page!: Page;
  /** Whatever the page has complained of. */
  troubles!: string[];
  #opened: OpenBrowser | undefined;

  constructor(executable: string | undefined) {
    if (executable === undefined) return;
    beforeAll(async () => {
      [this.#opened, this.server, this.site] = await Promise.all([
        openBrowser(executable),
        startServer({ provision: VISITED }),
        startSite(),
      ]);
      this.site.put('/', pageWithSdk(this.server.url));
      this.site.put('/next', pageWithSdk(this.server.url));
      this.site.put('/elsewhere', '<!doctype html><title>Elsewhere</title>');
    });
    afterAll(async () => {
      await this.#opened?.close();
      await this.site?.close();
      await discard(this.server);
    });
    beforeEach(async () => {
      this.context = await this.#opened!.browser.newContext();
      this.page = await this.context.newPage();
      this.troubles = watchTroubles(this.page);
    });
    afterEach(async () => {
      await this.context?.close();
    });
  }

  static async open(): Promise<{ suite: BrowserSuite; isMissing: boolean }> {
    const executable = await findChromium();
    return { suite: new BrowserSuite(executable), isMissing: executable === undefined };
  }

  /** What is stored of the page's visitor, by session. */
  async stored(page = this.page): Promise<string[][]> {
    return (await sessionsOf(this.server, await visitor(page))).map(sorted);
  }
}

/** What tests show when the page is ready. */
export const read = (page: Page, ...keys: string[]) =>
  page.evaluate(async (wanted) => {
    await sy.ready();
    return wanted.map((key) => sy.splitTest.get(key, 'fallback'));
  }, keys);

export const flush = (page: Page) => page.evaluate(() => sy.flush());

export const visitor = (page: Page) => page.evaluate(() => sy.visitorId()!);

/** The variation of each test when the page is ready, without recording anything. */
export const variations = (page: Page) =>
  page.evaluate(async () => {
    await sy.ready();
    return Object.fromEntries(sy.splitTest.assignments().map((it) => [it.testKey, it.variationKey]));
  });
