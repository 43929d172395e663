import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Browser as Client, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findChromium, type OpenBrowser, openBrowser } from './chromium.ts';

export interface DashboardOptions {
  /** The provision file; its property is `shop`. */
  provision: object;
  env?: Record<string, string>;
  /** As in `StartOptions`. */
  wrap?: (command: string[]) => string[];
  /** Nobody has set up the server yet; `owner` is not signed in. */
  withoutOwner?: boolean;
}

export interface PageOptions extends BrowserContextOptions {
  /** Loads the code of all pages soon after the first one, as browsers do unless they save data. */
  preloads?: boolean;
}

/** The dashboard of a real server in a real browser, shared by the tests of a file. */
export class Dashboard {
  server!: TestServer;
  /** Calls the API as the owner, to prepare and to check. */
  owner!: Client;
  readonly isMissing: boolean;
  #opened: OpenBrowser | undefined;
  /** By their options. Tests share contexts for the cache of the browser: the first load of a page takes twice as long. */
  readonly #contexts = new Map<string, BrowserContext[]>();
  readonly #used = new Set<BrowserContext>();
  /** Console errors, uncaught errors and violations of the content security policy. */
  readonly #problems: string[] = [];
  readonly #ignored: RegExp[] = [];

  private constructor(executable: string | undefined, options: DashboardOptions) {
    this.isMissing = executable === undefined;
    if (executable === undefined) return;
    const { provision, env, wrap, withoutOwner } = options;
    beforeAll(async () => {
      [this.#opened, this.server] = await Promise.all([
        openBrowser(executable),
        startServer({
          provision,
          env: { ...(withoutOwner ? {} : WITH_OWNER), ...env },
          ...(wrap && { wrap }),
        }),
      ]);
      this.owner = withoutOwner ? new Client(this.server) : await ownerBrowser(this.server);
    });
    afterEach(async () => {
      await Promise.all([...this.#used].map(closePages));
      this.#used.clear();
      const ignored = this.#ignored.splice(0);
      const problems = this.#problems.splice(0).filter((it) => !ignored.some((pattern) => pattern.test(it)));
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
  async newPage(path: string, as: Client | null = this.owner, options: PageOptions = {}): Promise<Page> {
    const { preloads = false, ...contextOptions } = options;
    const context = await this.#unusedContext(contextOptions);
    const cookies = [...(as?.cookies ?? [])].map(([name, value]) => ({ name, value, url: this.server.url }));
    await context.addCookies(cookies);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', {
      origin: this.server.url,
      storageTypes: 'local_storage',
    });
    if (!preloads) await devtools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      this.#problems.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.#problems.push(String(error)));
    await page.goto(path);
    return page;
  }

  /** A context that no other page of the test has, without cookies. */
  async #unusedContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const key = JSON.stringify(options);
    const same = this.#contexts.get(key) ?? [];
    let context = same.find((it) => !this.#used.has(it));
    if (context === undefined) {
      context = await this.#opened!.newContext({
        baseURL: this.server.url,
        viewport: WIDE,
        // Half-transparent dialogs would have too little contrast.
        reducedMotion: 'reduce',
        ...options,
      });
      this.#contexts.set(key, [...same, context]);
    }
    this.#used.add(context);
    return context;
  }

  /** A page of the property `shop`, such as `flags`. */
  shopPage(path: string, as?: Client | null, options?: PageOptions): Promise<Page> {
    return this.newPage(`/p/shop/${path}`, as, options);
  }

  /** A new member of `shop`. */
  async member(email: string, role: 'viewer' | 'editor' | 'admin'): Promise<Client> {
    return (await newMember(this.owner, email, role)).browser;
  }

  /** Failing requests print errors to the console, with their URL; a test that provokes them says so. */
  ignoreProblems(pattern: RegExp): void {
    this.#ignored.push(pattern);
  }
}

async function closePages(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()));
  await Promise.all([context.clearCookies(), context.setOffline(false), context.unrouteAll()]);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Accessibility problems of the page that axe calls serious or critical. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    // All rules run; describing what they did not find would take most of the time.
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

const WIDE = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

/** Wide and light, then dark on a phone: no accessibility problems, and nothing to scroll sideways. */
export async function expectUsable(page: Page, what = page.url()): Promise<void> {
  expect(await accessibilityProblems(page), what).toEqual([]);
  await page.setViewportSize(PHONE);
  await expect.poll(() => sidewaysScroll(page), { message: `${what} on a phone` }).toBeLessThanOrEqual(0);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  expect(await accessibilityProblems(page), `${what}, dark on a phone`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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
