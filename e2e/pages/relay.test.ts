import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Switchyard as PageClient } from '../../packages/sdk/src/browser/relay.ts';
import type { Switchyard } from '../../packages/sdk/src/node/node.ts';
import { BrowserSuite } from '../support/browser-suite.ts';
import { bundlePage } from '../support/bundle-page.ts';
import { sessionsOf, sorted, VISITS_PROVISION, watchRequests } from '../support/visits.ts';

const flag = (key: string, rules: object[]) => ({
  key,
  type: 'boolean',
  defaultValue: false,
  environments: { production: { enabled: true, value: false, rules } },
});
const PRICING_TEXT = '{ "plans": ["basic", "pro"] }';
/** Only one part of the split has weight. */
const SIZES = [
  { key: 'small', value: '2', weight: 0 },
  { key: 'large', value: '4.50', weight: 1 },
];
const textFlag = (key: string, format: string, value: string, rules: object[] = []) => ({
  key,
  type: 'string',
  format,
  defaultValue: value,
  environments: { production: { enabled: true, value, rules } },
});
const [shopProperty] = VISITS_PROVISION.properties;
const RELAY_PROVISION = {
  properties: [
    {
      ...shopProperty,
      flags: [
        flag('question', [{ id: 'all', rollout: { percentage: 100, by: 'visitorId' }, value: true }]),
        flag('for-ada', [
          {
            id: 'ada',
            conditions: [{ attribute: 'userId', operator: 'equals', values: ['ada'] }],
            value: true,
          },
        ]),
        flag('new-checkout', [{ id: 'all', value: true }]),
        flag('unlisted', []),
        textFlag('size', 'number', '1', [{ id: 'sizes', split: SIZES }]),
        textFlag('pricing', 'json', PRICING_TEXT),
        textFlag('nothing', 'json', 'null'),
      ],
      goals: [{ id: 'signup', name: 'Sign-ups', kind: 'count' }],
      feedbackTypes: [{ id: 'nps', name: 'NPS', options: ['good', 'bad'], textInput: true }],
    },
  ],
};

const { suite, isMissing } = await BrowserSuite.open(RELAY_PROVISION);

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const readme = readFileSync(at('packages/sdk/README.md'), 'utf8');
const guide = readFileSync(at('docs/guides/relay.md'), 'utf8');
const [, guidePage] = /```html\n([\s\S]*?)```/.exec(guide)!;
const [, guideOpenFeature] = /```ts\n(import \{ OFREPWebProvider[\s\S]*?)```/.exec(guide)!;
const [, questionSnippet] = /```tsx\n\/\/ question\.tsx\n([\s\S]*?)```/.exec(readme)!;

const REACT_PAGE = `
import { createSwitchyard } from '@switchyard/sdk/relay';
import { SwitchyardProvider } from '@switchyard/sdk/react';
import { hydrateRoot } from 'react-dom/client';
import { Question } from './question';
window.sy = createSwitchyard({ relayUrl: '/sy', propertyId: 'shop' });
hydrateRoot(document.querySelector('#root'), <SwitchyardProvider client={window.sy}><Question /></SwitchyardProvider>);
`;
const REACT_PRICES = `
import { createSwitchyard } from '@switchyard/sdk/relay';
import { SwitchyardProvider, useFlag } from '@switchyard/sdk/react';
import { createRoot } from 'react-dom/client';
window.sy = createSwitchyard({ relayUrl: '/sy', propertyId: 'shop' });
window.rendered = [];
function Prices() {
  const pricing = useFlag('pricing', { plans: ['none'] });
  const nothing = useFlag('nothing', { isFallback: true });
  window.rendered.push(pricing);
  return <p>{pricing.plans.join(' and ')}{nothing === null && ', or nothing'}</p>;
}
createRoot(document.querySelector('#root')).render(<SwitchyardProvider client={window.sy}><Prices /></SwitchyardProvider>);
`;
const REACT_SERVER = `
import { SwitchyardProvider } from '@switchyard/sdk/react';
import { renderToString } from 'react-dom/server';
import { Question } from './question';
export const html = renderToString(<SwitchyardProvider><Question /></SwitchyardProvider>);
`;
/** A page with the script of the relay; the client is `window.sy`. */
const scriptPage = (
  options: object = {},
) => `<!doctype html><title>Shop</title><script src="/sy/sdk.js"></script>
<script>window.sy = switchyard.createSwitchyard(${JSON.stringify({ relayUrl: '/sy', propertyId: 'shop', ...options })});
// The machine may be busy.
sy.ready(600_000);</script>`;

interface PageWindow {
  sy: PageClient;
  /** The values that `REACT_PRICES` has rendered. */
  rendered: unknown[];
  openFeature?: { isNew: boolean };
}

describe.skipIf(isMissing)('a page with a relay', () => {
  let folder: string;
  let site: Server;
  let url: string;
  let client: Switchyard;

  function bundle(name: string, code: string, platform?: 'browser' | 'node'): Promise<string> {
    writeFileSync(join(folder, `${name}.tsx`), code);
    return bundlePage(folder, name, platform);
  }

  beforeAll(async () => {
    mkdirSync(at('node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(at('node_modules/.cache/switchyard-relay-'));
    mkdirSync(join(folder, 'node_modules/@switchyard'), { recursive: true });
    symlinkSync(at('packages/sdk'), join(folder, 'node_modules/@switchyard/sdk'));
    writeFileSync(join(folder, 'question.tsx'), questionSnippet!);
    const [page, prices, server, openFeature] = await Promise.all([
      bundle('page', REACT_PAGE),
      bundle('prices', REACT_PRICES),
      bundle('server', REACT_SERVER, 'node'),
      bundle('openfeature', `${guideOpenFeature}\nwindow.openFeature = { isNew };`),
    ]);
    const { html } = await import(pathToFileURL(server).href);
    const { createSwitchyard } = await import(pathToFileURL(at('packages/sdk/dist/esm/node/node.js')).href);
    client = createSwitchyard({ apiUrl: suite.server.url, secretApiKey: SECRET_KEY, propertyId: 'shop' });
    await client.ready();
    const relay = client.relay({
      flags: ['question', 'for-ada', 'new-checkout', 'size', 'pricing', 'nothing'],
      feedback: ['nps'],
      goals: ['signup'],
      // As a login would.
      context: (request) => {
        const { cookie } = (request as { headers: { cookie?: string } }).headers;
        return { userId: /login=(\w+)/.exec(cookie ?? '')?.[1] };
      },
    });
    const files: Record<string, { type: string; text: string }> = {
      '/': { type: 'text/html', text: scriptPage() },
      '/direct': {
        type: 'text/html',
        text: scriptPage({ apiUrl: suite.server.url, publicApiKey: PUBLIC_KEY }),
      },
      '/guide': { type: 'text/html', text: guidePage! },
      '/react': {
        type: 'text/html',
        text: `<!doctype html><div id="root">${html}</div><script type="module" src="/page.js"></script>`,
      },
      '/prices': {
        type: 'text/html',
        text: '<!doctype html><div id="root"></div><script type="module" src="/prices.js"></script>',
      },
      '/prices.js': { type: 'text/javascript', text: readFileSync(prices, 'utf8') },
      '/page.js': { type: 'text/javascript', text: readFileSync(page, 'utf8') },
      '/openfeature.js': { type: 'text/javascript', text: readFileSync(openFeature, 'utf8') },
    };
    site = createServer((request, response) => {
      if (request.url!.startsWith('/sy/')) return relay(request, response);
      const file = files[request.url!.split('?')[0]!];
      response.writeHead(file ? 200 : 404, {
        'content-type': `${file?.type ?? 'text/plain'}; charset=utf-8`,
      });
      return response.end(file?.text);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    url = `http://localhost:${(site.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await client?.close();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve) ?? resolve(undefined));
    rmSync(folder, { recursive: true, force: true });
  });

  const inPage = <T>(run: (window: PageWindow) => T | Promise<T>) =>
    suite.page.evaluate<T>(`(${run})(window)`);
  const storedSession = async () => {
    const [session] = await sessionsOf(suite.server, await inPage(({ sy }) => sy.visitorId()!));
    return session as typeof session & { goals: object[]; feedback: number };
  };

  test('misspelled goals and feedback types, and amounts that are no numbers, are logged once and reported', async () => {
    const { page } = suite;
    await page.goto(`${url}/`);
    const codes = await page.evaluate(async () => {
      const { switchyard } = window as unknown as {
        switchyard: { createSwitchyard(of: object): PageClient };
      };
      const reported: string[] = [];
      const onError = ({ code }: { code: string }) => reported.push(code);
      const client = switchyard.createSwitchyard({ relayUrl: '/sy', propertyId: 'shop', onError });
      for (let i = 0; i < 2; i++) {
        await client.goals.increment('sign-up');
        await client.goals.increment('signup', { amount: Number.NaN });
        await client.feedback.submit('npz', { option: 'good' });
      }
      return reported;
    });
    const once = ['goal_not_found', 'invalid_argument', 'feedback_type_not_found'];
    expect(codes).toEqual([...once, ...once]);
    expect(suite.consoleMessages).toEqual([
      '[switchyard] The relay lists no goal "sign-up"; did you mean "signup"? (goal_not_found)',
      '[switchyard] The amount of "signup" must be a number, not NaN. (invalid_argument)',
      '[switchyard] The relay lists no feedback type "npz"; did you mean "nps"? (feedback_type_not_found)',
    ]);
  });

  test('flags, goals, feedback and events go through it, in the session of the page', async () => {
    const { page, server, consoleMessages } = suite;
    const direct = watchRequests(page, server.url);
    await page.goto(url);
    const values = await inPage(async ({ sy }) => {
      await sy.ready();
      return [sy.flags.get('question', false), sy.flags.get('for-ada', true), sy.flags.all()];
    });
    const parsed = { size: 4.5, pricing: { plans: ['basic', 'pro'] }, nothing: null };
    expect(values).toEqual([
      true,
      false,
      { question: true, 'for-ada': false, 'new-checkout': true, ...parsed },
    ]);
    const results = await inPage(async ({ sy }) => {
      const hero = sy.splitTest.get('hero', 'fallback');
      const done = await Promise.all([
        sy.goals.increment('signup', { metadata: { plan: 'pro' } }),
        sy.feedback.submit('nps', { option: 'good', message: 'Fast' }),
        sy.feedback.submit('nps', { option: 'meh' }),
        sy.goals.increment('revenue', { amount: 1 }),
      ]);
      await sy.flush();
      return { hero, codes: done.map((it) => it.success || it.error.code) };
    });
    expect(results.codes).toEqual([true, true, 'option_not_allowed', 'goal_not_found']);
    expect(results.hero).toMatch(/Buy|Get it/);
    const session = await storedSession();
    expect(session).toMatchObject({ goals: [{ goalId: 'signup', count: 1 }], feedback: 1, pageviews: 1 });
    expect(sorted(session).some((line) => line.startsWith('exposure hero='))).toBe(true);
    expect(direct).toEqual([]);

    // Signing in changes the context on the server; the next page starts with the cached values.
    await suite.context.addCookies([{ name: 'login', value: 'ada', url }]);
    await inPage(({ sy }) => sy.identify('ada'));
    await waitFor('the new value', () => inPage(({ sy }) => sy.flags.get('for-ada', false)));
    await page.route('**/v1/flags/evaluate*', (route) => route.abort());
    await page.reload();
    expect(await inPage(({ sy }) => sy.flags.get('for-ada', false))).toBe(true);
    expect(consoleMessages.sort()).toEqual([
      expect.stringContaining('no goal "revenue"'),
      expect.stringContaining('(option_not_allowed)'),
    ]);
    expect(await inPage(({ sy }) => sy.flags.get('unlisted', true))).toBe(true);
    await waitFor('one warning', () => consoleMessages.some((line) => line.includes('unlisted')));
  });

  test('the type of the fallback decides how a flag with a format is read', async () => {
    const { page, consoleMessages } = suite;
    await page.goto(url);
    const read = () =>
      inPage(({ sy: { flags } }) => [
        flags.get('size', 1),
        flags.get('size', ''),
        flags.get('size', undefined),
        flags.get('pricing', {}),
        flags.get('pricing', ''),
        flags.get('pricing', null) === flags.get('pricing', {}),
      ]);
    await inPage(({ sy }) => sy.ready());
    const expected = [4.5, '4.50', 4.5, { plans: ['basic', 'pro'] }, PRICING_TEXT, true];
    expect(await read()).toEqual(expected);
    expect(consoleMessages).toEqual([]);
    expect(await inPage(({ sy }) => sy.flags.get('size', ['fallback']))).toEqual(['fallback']);
    await waitFor('the warning', () => consoleMessages.length > 0);
    expect(consoleMessages).toEqual(['[switchyard] flag is of type number: size']);

    // The next page has the texts from its cache.
    await page.route('**/v1/flags/evaluate*', (route) => route.abort());
    await page.reload();
    expect(await read()).toEqual(expected);
  });

  test('React: a fetch that changes nothing renders nothing again', async () => {
    const { page, consoleMessages } = suite;
    await page.goto(`${url}/prices`);
    await page.getByText('basic and pro, or nothing').waitFor();
    await inPage(({ sy }) => sy.ready());
    const count = await inPage(({ rendered }) => rendered.length);
    const isSame = await inPage(async ({ sy, rendered }) => {
      const before = rendered.at(-1);
      const fetched = new Promise<void>((resolve) => sy.subscribe(resolve));
      sy.setAttributes({ plan: 'pro' });
      await fetched;
      await new Promise(requestAnimationFrame);
      return rendered.at(-1) === before && sy.flags.get('pricing', {}) === before;
    });
    expect(isSame).toBe(true);
    expect(await inPage(({ rendered }) => rendered.length)).toBe(count);
    expect(consoleMessages.filter((line) => !line.includes('React DevTools'))).toEqual([]);
  });

  test('flags that hang do not delay ready(timeoutMs)', async () => {
    const { page } = suite;
    await page.addInitScript(() => {
      const { fetch } = window;
      // Without an end, not even an abort.
      window.fetch = (input, init) =>
        String(input).includes('/v1/flags/') ? new Promise(() => {}) : fetch(input, init);
    });
    await page.goto(url);
    const value = await inPage(async ({ sy }) => {
      await sy.ready(50);
      return sy.flags.get('question', false);
    });
    expect(value).toBe(false);
  });

  test('`?sy_debug` explains flags, and says that goals and feedback are acknowledged', async () => {
    const { page, consoleMessages } = suite;
    await page.goto(`${url}/?sy_debug`);
    await inPage(async ({ sy }) => {
      await sy.ready();
      for (let i = 0; i < 3; i++) sy.flags.get('new-checkout', false);
      sy.flags.get('unlisted', true);
      sy.flags.get('size', 1);
      sy.flags.get('pricing', {});
      await Promise.all([sy.goals.increment('signup'), sy.feedback.submit('nps', { option: 'good' })]);
    });
    const said = (line: string) => consoleMessages.filter((text) => text === `[switchyard] ${line}`).length;
    await waitFor('the acknowledgements', async () =>
      ['goal signup', 'feedback nps'].every((what) => said(`acknowledged: ${what}`) === 1),
    );
    expect(said('flag new-checkout: true, a rule matches')).toBe(1);
    expect(said('flag size: 4.5, a percentage of a rule decided: variant large')).toBe(1);
    const panel = page.locator('#switchyard-debug');
    await panel.getByText('Flag unlisted: does not exist, or the relay does not list it').waitFor();
    const row = panel.locator('li').filter({ hasText: 'new-checkout' });
    expect(await row.textContent()).toBe('new-checkouttruea rule matches');
    await panel.getByText('{"plans":["basic","pro"]}', { exact: true }).waitFor();
    expect(await panel.locator('li').filter({ hasText: 'for-ada' }).textContent()).toContain('not read');
    await panel.getByText('Nothing pending').waitFor();
    expect(consoleMessages.filter((text) => /definitions|GET .*config/.test(text))).toEqual([
      '[switchyard] sent GET /sy/v1/split-testing/config',
      '[switchyard] definitions fetched: hero, layout, pricing, no-traffic',
    ]);
    await page.reload();
    await waitFor('cached values', async () =>
      consoleMessages.some((text) => text.startsWith('[switchyard] definitions from the cache: hero')),
    );
    expect(consoleMessages.some((text) => text.startsWith('[switchyard] flags from the cache:'))).toBe(true);
  });

  test('offline: goals and feedback are queued, and counted once by the next page', async () => {
    const { page, context } = suite;
    await page.goto(url);
    await inPage(({ sy }) => sy.ready());
    await context.setOffline(true);
    const results = await inPage(({ sy }) =>
      Promise.all([sy.goals.increment('signup'), sy.feedback.submit('nps', { option: 'bad' })]),
    );
    expect(results).toMatchObject([
      { success: false, queued: true },
      { success: false, queued: true },
    ]);
    const other = await context.newPage();
    await page.close();
    await context.setOffline(false);
    suite.page = other;
    await other.goto(url);
    const pending = () =>
      other.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(':relay:q:')).length);
    await waitFor('delivery', async () => (await pending()) === 0);
    await inPage(({ sy }) => sy.flush());
    expect(await storedSession()).toMatchObject({ goals: [{ goalId: 'signup', count: 1 }], feedback: 1 });
  });

  test('without consent nothing is sent or stored', async () => {
    const { page } = suite;
    const requests = watchRequests(page, `${url}/sy/v1`);
    await page.goto(url);
    await inPage(({ sy }) => sy.flush());
    await suite.context.clearCookies();
    await inPage(({ sy }) => sy.setConsent(false));
    requests.length = 0;
    const results = await inPage(async ({ sy }) => [
      sy.flags.get('question', false),
      sy.flags.all(),
      await sy.goals.increment('signup'),
      Object.keys(localStorage),
    ]);
    expect(results).toMatchObject([false, {}, { success: false, error: { code: 'no_consent' } }, []]);
    expect(requests).toEqual([]);
    await inPage(({ sy }) => sy.setConsent(true));
    await waitFor('the flags', () => inPage(({ sy }) => sy.flags.get('question', false)));
  });

  test('with a public key, events go directly to the service', async () => {
    const { page, server } = suite;
    const direct = watchRequests(page, server.url);
    await page.goto(`${url}/direct`);
    await inPage(({ sy }) => sy.ready());
    await inPage(({ sy }) => sy.flush());
    expect(await inPage(({ sy }) => sy.flags.get('question', false))).toBe(true);
    expect(direct.sort()).toEqual(['GET /v1/split-testing/config', 'POST /v1/sessions/collect']);
  });

  test('the page of the guide', async () => {
    const { page, consoleMessages } = suite;
    await page.goto(`${url}/guide`);
    await page.getByText('New checkout').waitFor();
    await page.click('#like');
    const cookies = await suite.context.cookies();
    const visitorId = cookies.find(({ name }) => name === 'sy_visitor')!.value;
    await waitFor('the feedback', async () => {
      const [session] = await sessionsOf(suite.server, visitorId);
      return (session as { feedback?: number } | undefined)?.feedback === 1;
    });
    expect(consoleMessages).toEqual([]);
  });

  test('React: `useFlag` and `useFeedback`, without a hydration mismatch', async () => {
    const { page, consoleMessages } = suite;
    expect(await fetch(`${url}/react`).then((response) => response.text())).toContain('<p>Welcome</p>');
    await page.goto(`${url}/react`);
    await page.click('button');
    await waitFor('the feedback', async () => (await storedSession())?.feedback === 1);
    expect(consoleMessages.filter((line) => !line.includes('React DevTools'))).toEqual([]);
  });

  test('the OFREP provider for the web works with the relay as base URL', async () => {
    const { page } = suite;
    await page.goto(url);
    await inPage(({ sy }) => sy.ready());
    await page.addScriptTag({ url: '/openfeature.js', type: 'module' });
    const isNew = await waitFor('the provider', () => inPage((window) => window.openFeature?.isNew));
    expect(isNew).toBe(true);
  });
});
