import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { describe, expect, test } from 'vitest';
import { BrowserSuite } from '../support/browser-suite.ts';
import { patientPage, sessionsOf, sorted, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const readme = readFileSync(fileURLToPath(new URL('../../packages/sdk/README.md', import.meta.url)), 'utf8');

function plainHtml(): string {
  const [, snippet] = /```html\n([\s\S]*?)```/.exec(readme)!;
  return snippet!
    .replaceAll('https://switchyard.example', suite.server.url)
    .replace('service_pub_your_key', PUBLIC_KEY);
}

describe.skipIf(isMissing)('the HTML example of the SDK README', () => {
  test('works unchanged with the script of the service', async () => {
    const { page, server, site, consoleMessages } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(site.put('/readme', patientPage(plainHtml())));
    expect(requests[0]).toBe('GET /sdk.js');
    const id = await page.evaluate<string>('client.ready().then(() => client.visitorId())');
    const hero = await page.evaluate<string>('client.splitTest.assignments()[0].variationKey');
    expect(await page.textContent('#buy')).toBe(hero === 'b' ? 'Get it' : 'Buy');
    await page.click('#buy');
    await waitFor('all events', async () => (await sessionsOf(server, id))[0]?.timeline.length === 3);
    await page.evaluate('client.flush()');
    expect((await sessionsOf(server, id)).map(sorted)).toEqual([
      ['event bought', `exposure hero=${hero}`, 'pageview /readme'],
    ]);
    expect(consoleMessages).toEqual([]);
  });

  test('shows the original content if the script is blocked', async () => {
    const { page, server, site, consoleMessages } = suite;
    await page.route(`${server.url}/**`, (route) => route.abort('blockedbyclient'));
    await page.goto(site.put('/readme-blocked', plainHtml()));
    await page.click('#buy');
    expect(await page.textContent('#buy')).toBe('Buy');
    expect(consoleMessages).toEqual([]);
  });
});
