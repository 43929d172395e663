import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const INSTALLED = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-background-networking'];

/** Runs `use` with a headless browser, the installed one or the one from npm. */
export async function withChromium(use) {
  const profile = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ARGS,
    env: { ...process.env, TMPDIR: profile, HOME: profile },
  });
  try {
    return await use(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

async function findChromium() {
  const installed = INSTALLED.find((path) => path && existsSync(path));
  if (installed !== undefined) return installed;
  if (arch() !== 'x64') throw new Error('Chromium not found; install it, or set CHROMIUM_PATH.');
  return (await import('@sparticuz/chromium')).default.executablePath();
}
