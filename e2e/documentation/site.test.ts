import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems, Dashboard, PHONE, sidewaysScroll } from '../support/dashboard.ts';

const site = await Dashboard.open({ provision: SAMPLE });
const open = (path: string, options = {}) => site.newPage(path, null, options);
const PHONE_DARK = { viewport: PHONE, colorScheme: 'dark' } as const;

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

function gate(): { release: () => void; isReleased: Promise<void> } {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, isReleased };
}

describe.skipIf(site.isMissing)('the documentation site', () => {
  it.each(['/docs', '/docs/guides/webhooks'])('%s is accessible, also dark and on a phone', async (path) => {
    expect(await accessibilityProblems(await open(path))).toEqual([]);
    const phone = await open(path, PHONE_DARK);
    expect(await accessibilityProblems(phone)).toEqual([]);
    expect(await sidewaysScroll(phone)).toBeLessThanOrEqual(0);
  });

  it('shows text, navigation and menu without JavaScript', async () => {
    const page = await open('/docs/guides/results', { viewport: PHONE, javaScriptEnabled: false });
    await page.getByRole('heading', { level: 1, name: 'Results of a split test' }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Menu' }).click();
    await pages.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false);
  });

  it('finds pages and endpoints with the keyboard, and loads the search only then', async () => {
    const page = await open('/docs');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    // Endpoints are loaded last.
    await dialog.getByRole('combobox').fill('subtract from a goal');
    await dialog.getByRole('option', { name: /^API/ }).first().waitFor();
    await dialog.getByRole('combobox').fill('attribution wind');
    await expect.poll(() => dialog.getByRole('option').count()).toBeGreaterThan(0);
    expect(requests).toContain('/docs/search.json');
    await dialog.getByRole('combobox').fill('goal_not_found');
    await dialog
      .getByRole('option', { name: /Errors/ })
      .first()
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const selected = () => dialog.locator('[aria-selected=true]').getAttribute('href');
    const [first, second] = await dialog
      .getByRole('option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('href')));
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe(second);
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toBe(first);
    await dialog.getByRole('combobox').fill('subtract from a goal');
    await dialog.getByRole('option', { name: /^API/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api#postGoalsDecrement');
  });

  it('keeps the chosen result when the endpoints arrive later', async () => {
    const page = await open('/docs');
    const { release, isReleased } = gate();
    await page.route('**/openapi.json', (route) => isReleased.then(() => route.continue()));
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const options = dialog.getByRole('option');
    await dialog.getByRole('combobox').fill('goal');
    await options.first().waitFor();
    await page.keyboard.press('ArrowDown');
    const selected = () => dialog.locator('[aria-selected=true]').getAttribute('href');
    const chosen = await selected();
    release();
    await options.filter({ hasText: /^API/ }).first().waitFor();
    expect(await selected()).toBe(chosen);
  });

  it('follows the system, and remembers the chosen theme', async () => {
    const page = await open('/docs');
    const light = await background(page);
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    const dark = await background(page);
    expect(dark).not.toBe(light);
    await page.goto('/docs/errors');
    expect(await background(page)).toBe(dark);
    expect(await background(await open('/docs', { colorScheme: 'dark' }))).toBe(dark);
  });

  it('shows the address of its own server in examples and links', async () => {
    const page = await open('/docs/getting-started/property');
    const { origin } = new URL(page.url());
    const code = (await page.locator('figure.code').allTextContents()).join();
    expect(code).toContain(`curl -sS ${origin}/v1/split-testing/expose`);
    await page.goto('/docs/getting-started/react');
    expect((await page.locator('figure.code').allTextContents()).join()).toContain(`apiUrl: '${origin}'`);
    for (const path of ['property', 'react', 'html', 'nextjs']) {
      await page.goto(`/docs/getting-started/${path}`);
      const text = (await page.locator('figure.code, article a').allTextContents()).join();
      expect(text).not.toMatch(/127\.0\.0\.1:8080|switchyard\.example/);
    }
  });

  it('copies code', async () => {
    const page = await open('/docs/guides/results', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/v1/split-testing/results');
  });
});

describe.skipIf(site.isMissing)('the API reference', () => {
  it('lists every endpoint, loads nothing from elsewhere, and is accessible', async () => {
    const page = await open('about:blank');
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto('/docs/api');
    const { paths } = (await site.server.send('GET', '/openapi.json')).body;
    const count = Object.values<object>(paths).flatMap((path) => Object.keys(path)).length;
    await expect.poll(() => page.locator('section.endpoint').count()).toBe(count);
    expect([...hosts]).toEqual([site.server.url]);
    // All endpoints look the same, and checking them all takes long.
    await page.evaluate(() => {
      const others = 'section.group:nth-of-type(n + 2), section.endpoint:nth-of-type(n + 3), .endpoints li';
      for (const other of document.querySelectorAll(others)) other.remove();
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  });

  it('marks the endpoint that is being read', async () => {
    const page = await open('/docs/api#postGoalsIncrement');
    const current = () => page.locator('.endpoints [aria-current]').getAttribute('href');
    await expect.poll(current).toBe('#postGoalsIncrement');
    await page.locator('#getSessions').evaluate((endpoint) => endpoint.scrollIntoView());
    await expect.poll(current).toBe('#getSessions');
  });

  it('sends requests with a key, and shows the response', async () => {
    const page = await open('/docs/api#postGoalsIncrement');
    const endpoint = page.locator('#postGoalsIncrement');
    await endpoint.getByText('Try it').click();
    site.ignoreProblems(/401/);
    await endpoint.getByRole('button', { name: 'Send POST' }).click();
    await endpoint.getByText('401').nth(0).waitFor();
    await endpoint.getByLabel('Secret key').fill(SECRET_KEY);
    await endpoint
      .getByLabel('Body')
      .fill('{"goalId":"signup","propertyId":"shop","sessionId":"from-the-reference"}');
    await endpoint.getByRole('button', { name: 'Send POST' }).click();
    await endpoint.getByText('200 OK').waitFor();
    // The key is not shown in the example, and is filled in at other endpoints.
    expect(await endpoint.locator('figure.code').first().textContent()).not.toContain(SECRET_KEY);
    const list = page.locator('#getSessions');
    await list.getByText('Try it').click();
    await list.getByRole('button', { name: 'Send GET' }).click();
    await list.locator('.response', { hasText: 'from-the-reference' }).waitFor();
  });
});
