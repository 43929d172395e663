import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, test } from 'vitest';
import { BrowserSuite } from '../support/browser-suite.ts';
import { findScaffold, ScaffoldedApp } from '../support/scaffold.ts';
import { sessionsOf, sorted } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open(SAMPLE);
const scaffolds = isMissing ? {} : { next: findScaffold('next'), vite: findScaffold('vite') };

let app: ScaffoldedApp | undefined;
afterEach(() => app?.remove());

/** Waits until the session of the page's visitor has this many entries; returns them. */
async function recorded(count: number): Promise<string[]> {
  return waitFor(`${count} entries`, async () => {
    const visitorId = (await suite.context.cookies()).find(({ name }) => name === 'sy_visitor')?.value;
    const [session] = visitorId === undefined ? [] : await sessionsOf(suite.server, visitorId);
    return session && session.timeline.length >= count ? sorted(session) : undefined;
  });
}

const exposure = (text: string | null) => `exposure hero=${text === 'Get it' ? 'b' : 'control'}`;

describe.skipIf(scaffolds.next === undefined)('a new app of Next.js', () => {
  test('works with getting-started/nextjs.md', async () => {
    const { page, server } = suite;
    app = new ScaffoldedApp(scaffolds.next!);
    await app.installSdk(server.url);
    app.addPage('docs/getting-started/nextjs.md', server.url);
    await app.run('next/dist/bin/next', 'build');
    const url = await app.serve('next/dist/bin/next', (port) => ['start', '--port', String(port)]);

    const response = await page.goto(url);
    const source = await response!.text();
    const text = await page.textContent('button');
    expect(source).toContain(`>${text}</button>`);
    expect(await recorded(2)).toEqual([exposure(text), 'pageview /']);
    // What a link to this page prefetches is not an exposure, and does not fail either.
    const headers = { rsc: '1', 'next-router-prefetch': '2' };
    expect((await page.request.get(url, { headers })).status()).toBe(200);
    await page.click('button');
    await page.getByText('Thank you!').waitFor();
    expect(await recorded(4)).toEqual([exposure(text), 'goal', 'pageview /', 'pageview /thanks']);
    expect(app.output).not.toMatch(/error|warn/i);
    expect(suite.consoleMessages).toEqual([]);
  });
});

describe.skipIf(scaffolds.vite === undefined)('a new app of Vite', () => {
  test('works with getting-started/react.md', async () => {
    const { page, server } = suite;
    app = new ScaffoldedApp(scaffolds.vite!);
    await app.installSdk(server.url);
    app.addPage('docs/getting-started/react.md', server.url, {
      'buy-button.tsx': 'src/buy-button.tsx',
      'main.tsx': 'src/main.tsx',
    });
    await app.run('typescript/bin/tsc', '--build');
    await app.run('vite/bin/vite.js', 'build');
    const url = await app.serve('vite/bin/vite.js', (port) => ['preview', '--port', String(port)]);
    await page.goto(url);
    await page.click('button');
    const text = await page.textContent('button');
    expect(await recorded(3)).toEqual(['event added to cart', exposure(text), 'pageview /']);
    expect(suite.consoleMessages).toEqual([]);
  });
});
