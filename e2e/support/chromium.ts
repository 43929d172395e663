import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

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
  browser: Browser;
  close(): Promise<void>;
}

/** A headless browser with a temporary profile that is removed on close. */
export async function openBrowser(executablePath: string): Promise<OpenBrowser> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-browser-'));
  const browser = await chromium.launch({
    executablePath,
    args: ARGUMENTS,
    env: { ...(process.env as Record<string, string>), TMPDIR: directory, HOME: directory },
  });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
