import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, test } from 'vitest';
import { BrowserSuite } from '../support/browser-suite.ts';
import { DocumentedProject, documentedHtml } from '../support/documented-project.ts';
import { builtScript } from '../support/site.ts';
import { sessionsOf, sorted, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

describe.skipIf(isMissing)('pages of the documentation', () => {
  let project: DocumentedProject | undefined;
  afterEach(() => project?.remove());

  const visitorId = async () =>
    (await suite.context.cookies()).find(({ name }) => name === 'sy_visitor')!.value;

  /** Waits until the visitor's session has this many entries; returns them. */
  const recorded = async (count: number): Promise<string[]> => {
    const id = await visitorId();
    return waitFor(`${count} entries`, async () => {
      const [session] = await sessionsOf(suite.server, id);
      return session && session.timeline.length >= count ? sorted(session) : undefined;
    });
  };

  /** The exposure that fits the text of the page. */
  const exposure = (text: string | null) => `exposure hero=${text === 'Get it' ? 'b' : 'control'}`;

  const expectSilence = () =>
    expect(suite.consoleMessages.filter((line) => !line.includes('React DevTools'))).toEqual([]);

  test.each(['docs/getting-started/html.md', 'packages/sdk/README.md'])(
    '%s has the loader as it is built',
    (path) => {
      const loader = builtScript('sdk-loader.js').trim();
      expect(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')).toContain(
        loader,
      );
    },
  );

  test('getting-started/html.md', async () => {
    const { page, server, site } = suite;
    const [html] = documentedHtml('docs/getting-started/html.md', server.url);
    await page.goto(site.put('/html', html!));
    await page.evaluate('client.ready()');
    await page.click('#buy');
    const text = await page.textContent('#buy');
    expect(await recorded(3)).toEqual(['event added to cart', exposure(text), 'pageview /html']);
    expectSilence();
  });

  test('guides/consent.md: nothing before the visitor agrees, and nothing left when they withdraw', async () => {
    const { page, context, server, site } = suite;
    const requests = watchRequests(page, server.url);
    const [html] = documentedHtml('docs/guides/consent.md', server.url);
    // No variation has the text of the HTML, so that a page that forgets to show one is noticed.
    const url = site.put('/consent', html!.replace('>Buy<', '>…<'));
    await page.goto(url);
    expect(requests).toEqual(['GET /sdk.js']);
    expect(await context.cookies()).toEqual([]);
    await page.click('text=Yes');
    await page.waitForFunction('client.splitTest.assignments().length > 0');
    const text = await page.textContent('#buy');
    expect(await recorded(2)).toEqual([exposure(text), 'pageview /consent']);
    // The next page knows the decision, and shows the same text from the cached definitions.
    await page.reload();
    expect(await page.isHidden('#banner')).toBe(true);
    await page.waitForFunction((shown) => document.querySelector('#buy')!.textContent === shown, text);
    expect(await recorded(3)).toEqual([exposure(text), 'pageview /consent', 'pageview /consent']);
    await page.evaluate('decide(false)');
    expect((await context.cookies()).map(({ name, value }) => `${name}=${value}`)).toEqual(['consent=no']);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expectSilence();
  });

  test('guides/single-page-apps.md: counts each route, and the test where it is shown', async () => {
    const { page, server, site } = suite;
    const [html] = documentedHtml('docs/guides/single-page-apps.md', server.url);
    await page.goto(site.put('/home', html!));
    await page.evaluate('client.ready()');
    expect(await page.textContent('main')).toBe('Welcome');
    expect(await recorded(1)).toEqual(['pageview /home']);
    await page.click('text=Products');
    const text = await page.textContent('main');
    expect(await recorded(3)).toEqual([exposure(text), 'pageview /home', 'pageview /products']);
    expectSilence();
  });

  test('getting-started/react.md in the browser only', async () => {
    const { page, server, site } = suite;
    project = new DocumentedProject('docs/getting-started/react.md', server.url);
    const script = readFileSync(await project.bundle('main.tsx', 'dist/main.js'), 'utf8');
    const html = `<!doctype html><title>Shop</title><div id="root"></div><script type="module">
${script.replaceAll('</script', '<\\/script')}</script>`;
    await page.goto(site.put('/react', html));
    await page.click('button');
    const [event, shown, view] = await recorded(3);
    expect([event, view]).toEqual(['event added to cart', 'pageview /react']);
    expect(shown).toBe(exposure(await page.textContent('button')));
    expectSilence();
  });

  test('getting-started/react.md with server rendering', async () => {
    const { page, server } = suite;
    project = new DocumentedProject('docs/getting-started/react.md', server.url);
    await Promise.all([
      project.bundle('page.tsx', 'dist/page.js'),
      project.bundle('server.tsx', 'server.mjs'),
    ]);
    const { url, stop } = await project.start('server.mjs');
    const response = await page.goto(url);
    const [, rendered = ''] = /<button>(.*?)<\/button>/.exec(await response!.text())!;
    expect(await recorded(2)).toEqual([exposure(rendered), 'pageview /']);
    expect(await page.textContent('button')).toBe(rendered);
    expectSilence();
    await page.close();
    await stop();
  });

  test('getting-started/express.md and guides/openfeature.md: events and flags through the relay', async () => {
    const { page, server } = suite;
    const requests = watchRequests(page, server.url);
    project = new DocumentedProject('docs/getting-started/express.md', server.url);
    project.add('docs/guides/openfeature.md');
    const flags = await project.bundle('page-flags.ts', 'page-flags.js');
    const { url, stop } = await project.start('server.mjs');
    await page.goto(url);
    await page.evaluate('client.ready()');
    const text = await page.textContent('button');
    expect(await recorded(2)).toEqual([exposure(text), 'pageview /']);
    const evaluated = page.waitForResponse(`${url}/sy/ofrep/v1/evaluate/flags`);
    await page.addScriptTag({ path: flags, type: 'module' });
    expect((await evaluated).status()).toBe(200);
    expect(requests).toEqual([]);
    expectSilence();
    await page.close();
    await stop();
  });
});
