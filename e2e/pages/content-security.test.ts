import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush } from '../support/browser-suite.ts';
import { builtScript } from '../support/site.ts';

const { suite, isMissing } = await BrowserSuite.open();

const NONCE = 'r4nd0m';
const TEXTS = ['Buy', 'Get it'];

/** A page that allows nothing but what the policy lists. */
const page = (policy: string, scripts: string) =>
  `<!doctype html><html><head><title>Shop</title>
<meta http-equiv="content-security-policy" content="default-src 'none'; connect-src ${suite.server.url}; ${policy}">
${scripts}</head><body>Hello</body></html>`;

const createClient = (antiFlicker: object = {}) => {
  const options = { apiUrl: suite.server.url, publicApiKey: PUBLIC_KEY, propertyId: 'shop', antiFlicker };
  return `createSwitchyard(${JSON.stringify(options)});`;
};

const isHidden = () => suite.page.evaluate(() => getComputedStyle(document.body).opacity === '0');

/** The page is hidden, then shows a variation, and everything is recorded. */
async function expectToWork(release: () => void): Promise<void> {
  const tab = suite.page;
  await tab.waitForFunction(() => typeof sy !== 'undefined' && sy.sessionId() !== undefined);
  expect(await isHidden()).toBe(true);
  release();
  const shown = await tab.evaluate(() => sy.ready().then(() => sy.splitTest.get('hero', 'fallback')));
  expect(TEXTS).toContain(shown);
  await tab.waitForFunction(() => getComputedStyle(document.body).opacity === '1');
  await flush(tab);
  expect((await suite.stored())[0]).toHaveLength(2);
  expect(suite.consoleMessages).toEqual([]);
}

const PATIENT = { timeoutMs: 600_000 };

describe.skipIf(isMissing)('a strict content security policy in Chromium', () => {
  test('the loader in the page, with a nonce', async () => {
    const release = await suite.holdDefinitions();
    const sdk = `${suite.server.url}/sdk.js`;
    const scripts = `<script nonce="${NONCE}" data-sdk="${sdk}">${builtScript('sdk-loader.js')}</script>
<script nonce="${NONCE}">window.sy = switchyard.${createClient(PATIENT)}</script>`;
    const policy = `script-src 'nonce-${NONCE}'; style-src 'nonce-${NONCE}'`;
    await suite.page.goto(suite.site.put('/inline', page(policy, scripts)));
    await expectToWork(release);
  });

  test('the loader as a file of the site, and no inline script', async () => {
    const release = await suite.holdDefinitions();
    suite.site.put('/page.js', `window.sy = switchyard.${createClient(PATIENT)}`, 'text/javascript');
    const sdk = `${suite.server.url}/sdk.js`;
    const scripts = `<script src="/sdk-loader.js" nonce="${NONCE}" data-sdk="${sdk}"></script>
<script src="/page.js"></script>`;
    const policy = `script-src 'self' ${suite.server.url}; style-src 'nonce-${NONCE}'`;
    await suite.page.goto(suite.site.put('/files', page(policy, scripts)));
    await expectToWork(release);
  });

  test('the client arrives before the page creates it', async () => {
    const release = await suite.holdDefinitions();
    const sdk = `${suite.server.url}/sdk.js`;
    const scripts = `<script nonce="${NONCE}" data-sdk="${sdk}">${builtScript('sdk-loader.js')}</script>
<script nonce="${NONCE}">window.start = () => { window.sy = switchyard.${createClient(PATIENT)} };</script>`;
    const policy = `script-src 'nonce-${NONCE}'; style-src 'nonce-${NONCE}'`;
    await suite.page.goto(suite.site.put('/early', page(policy, scripts)));
    // The loader has a queue, the client does not.
    await suite.page.waitForFunction(() => !('q' in window.switchyard!));
    await suite.page.evaluate('start()');
    await expectToWork(release);
  });

  test('the package: antiFlicker takes a nonce', async () => {
    const release = await suite.holdDefinitions();
    const client = createClient({ ...PATIENT, nonce: NONCE });
    const scripts = `<script type="module" nonce="${NONCE}">
import { createSwitchyard } from '/browser.mjs';
window.sy = ${client}
</script>`;
    const policy = `script-src 'self' 'nonce-${NONCE}'; style-src 'nonce-${NONCE}'`;
    await suite.page.goto(suite.site.put('/module', page(policy, scripts)));
    await expectToWork(release);
  });
});
