import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  type Browser as Client,
  newMember,
  ownerBrowser,
  WITH_OWNER,
} from '../../packages/server/src/testing/browser.ts';
import { discard, startServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { findChromium, type OpenBrowser, openBrowser } from './chromium.ts';

export interface DashboardOptions {
  /** The provision file; its property is `shop`. */
  provision: object;
  env?: Record<string, string>;
}

/** The dashboard of a real server in a real browser, shared by the tests of a file. */
export class Dashboard {
  server!: TestServer;
  /** Calls the API as the owner, to prepare and to check. */
  owner!: Client;
  readonly isMissing: boolean;
  #opened: OpenBrowser | undefined;
  readonly #contexts: BrowserContext[] = [];
  /** Console errors, uncaught errors and violations of the content security policy. */
  #problems: string[] = [];

  private constructor(executable: string | undefined, { provision, env }: DashboardOptions) {
    this.isMissing = executable === undefined;
    if (executable === undefined) return;
    beforeAll(async () => {
      [this.#opened, this.server] = await Promise.all([
        openBrowser(executable),
        startServer({ provision, env: { ...WITH_OWNER, ...env } }),
      ]);
      this.owner = await ownerBrowser(this.server);
    });
    afterEach(async () => {
      await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
      const problems = this.#problems;
      this.#problems = [];
      expect(problems, 'errors in the console of the browser').toEqual([]);
    });
    afterAll(async () => {
      await this.#opened?.close();
      await discard(this.server);
    });
  }

  static async open(options: DashboardOptions): Promise<Dashboard> {
    return new Dashboard(await findChromium(), options);
  }

  /** A new browser window. With `as`, that account is signed in; default: the owner. Null: nobody. */
  async newPage(
    path: string,
    as: Client | null = this.owner,
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const context = await this.#opened!.browser.newContext({
      baseURL: this.server.url,
      viewport: { width: 1280, height: 860 },
      // Half-transparent dialogs would have too little contrast.
      reducedMotion: 'reduce',
      ...options,
    });
    this.#contexts.push(context);
    if (as !== null) {
      const cookies = [...as.cookies].map(([name, value]) => ({ name, value, url: this.server.url }));
      await context.addCookies(cookies);
    }
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(message.text());
    });
    page.on('pageerror', (error) => this.#problems.push(String(error)));
    await page.goto(path);
    return page;
  }

  /** A page of the property `shop`, such as `flags`. */
  shopPage(path: string, as?: Client | null, options?: BrowserContextOptions): Promise<Page> {
    return this.newPage(`/p/shop/${path}`, as, options);
  }

  /** A new member of `shop`. */
  async member(email: string, role: 'viewer' | 'editor' | 'admin'): Promise<Client> {
    return (await newMember(this.owner, email, role)).browser;
  }

  /** Failing requests print errors to the console; a test that provokes them says so. */
  ignoreProblems(pattern: RegExp): void {
    this.#problems = this.#problems.filter((problem) => !pattern.test(problem));
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Accessibility problems of the page that axe calls serious or critical. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/** The button of a form that opens the review sheet. */
export const saveButton = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });

/** Confirms in the review sheet, and waits until the change is saved. Protected environments need a comment. */
export async function confirmReview(page: Page, button = 'Save', comment?: string): Promise<void> {
  const sheet = page.getByRole('dialog');
  if (comment !== undefined) await sheet.getByLabel('Comment').fill(comment);
  await sheet.getByRole('button', { name: button, exact: true }).click();
  await sheet.waitFor({ state: 'detached' });
}

/** How far the page can be scrolled sideways, in pixels; it should not. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
