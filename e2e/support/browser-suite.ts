import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { findChromium, type OpenBrowser, openBrowser } from './chromium.ts';
import { type Site, startSite } from './site.ts';
import { pageWithSdk, sessionsOf, sorted, VISITS_PROVISION, watchConsole } from './visits.ts';

/** Shared by the tests of a file; each test gets a new `page`, `context` and visitor. */
export class BrowserSuite {
  server!: TestServer;
  site!: Site;
  context!: BrowserContext;
  page!: Page;
  /** Errors and console output of the page. */
  consoleMessages!: string[];
  #opened: OpenBrowser | undefined;

  constructor(executable: string | undefined, provision: object = VISITS_PROVISION) {
    if (executable === undefined) return;
    beforeAll(async () => {
      [this.#opened, this.server, this.site] = await Promise.all([
        openBrowser(executable),
        startServer({ provision }),
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
      this.context = await this.#opened!.newContext();
      this.page = await this.context.newPage();
      this.consoleMessages = watchConsole(this.page);
    });
    afterEach(async () => {
      await this.context?.close();
    });
  }

  static async open(provision?: object): Promise<{ suite: BrowserSuite; isMissing: boolean }> {
    const executable = await findChromium();
    return { suite: new BrowserSuite(executable, provision), isMissing: executable === undefined };
  }

  /** Holds the definitions of split tests back from the page; returns a function that releases them. */
  async holdDefinitions(): Promise<() => void> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await this.page.route(`${this.server.url}/v1/split-testing/config*`, async (route) => {
      await released;
      await route.continue();
    });
    return release;
  }

  /** The stored events of the page's visitor, by session. */
  async stored(page = this.page): Promise<string[][]> {
    return (await sessionsOf(this.server, await visitor(page))).map(sorted);
  }
}

/** The values of the tests once the SDK is ready. */
export const read = (page: Page, ...keys: string[]) =>
  page.evaluate(async (testKeys) => {
    await sy.ready();
    return testKeys.map((key) => sy.splitTest.get(key, 'fallback'));
  }, keys);

export const flush = (page: Page) => page.evaluate(() => sy.flush());

export const visitor = (page: Page) => page.evaluate(() => sy.visitorId()!);

/** The variation of each test once the SDK is ready, without recording exposures. */
export const variations = (page: Page) =>
  page.evaluate(async () => {
    await sy.ready();
    return Object.fromEntries(sy.splitTest.assignments().map((it) => [it.testKey, it.variationKey]));
  });
