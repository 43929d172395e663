import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** The headless shell first: it starts without the windows and pages of a whole browser. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--disable-quic',
  '--disable-sync',
];

/** Numbers and dates as the tests expect them, whatever the language of the machine. */
const ENGLISH = { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en_US' };

/** Only reached if something never happens: the machine may be busy. */
const TIMEOUT_MS = 120_000;

/** The installed browser, otherwise the one from npm; `undefined` if neither is available. */
export async function findChromium(): Promise<string | undefined> {
  const found = [process.env.CHROMIUM_PATH, ...INSTALLED].find((path) => path && existsSync(path));
  if (found !== undefined) return found;
  if (arch() === 'x64') {
    const { default: packaged } = await import('@sparticuz/chromium');
    return packaged.executablePath();
  }
  return undefined;
}

export interface OpenBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

let launched: Promise<Browser> | undefined;

/** A headless browser, which the test files of a process share; `close` only closes its pages. */
export async function openBrowser(executablePath: string): Promise<OpenBrowser> {
  if (launched !== undefined && !(await launched).isConnected()) launched = undefined;
  launched ??= launch(executablePath);
  const browser = await launched;
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(TIMEOUT_MS);
      return context;
    },
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  };
}

/** With a temporary profile. The browser ends with this process, because Playwright kills it then. */
async function launch(executablePath: string): Promise<Browser> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-browser-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return chromium.launch({
    executablePath,
    args: ARGUMENTS,
    env: { ...(process.env as Record<string, string>), ...ENGLISH, TMPDIR: directory, HOME: directory },
  });
}
