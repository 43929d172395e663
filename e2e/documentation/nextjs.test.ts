import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeShop, openShop, type Shop } from '../../packages/server/src/testing/shop.ts';
import { DocumentedProject } from '../support/documented-project.ts';

/** Next.js is not a dependency of this repository. These have the few functions that the page uses. */
const STAND_INS = {
  'next/server': `export class NextResponse extends Response {
    static next({ request }) { return Object.assign(new NextResponse(), { forwarded: request.headers }); }
  }`,
  'next/headers': 'export const headers = async () => globalThis.currentHeaders;',
  'next/navigation': `export function redirect(path) { throw new Error('redirect to ' + path); }`,
};

/** A first visit: proxy, page, sale, and a request of the page to the relay. */
const VISIT = `
import { renderToString } from 'react-dom/server';
import { buy } from './app/buy';
import Layout from './app/layout';
import Page from './app/page';
import { GET, POST } from './app/sy/[...path]/route';
import { config, proxy } from './proxy';
import { switchyard } from './switchyard';

await switchyard.ready();
const response = await proxy(new Request('https://shop.example/', { headers: { cookie: 'theme=dark' } }));
globalThis.currentHeaders = response.forwarded;
const html = renderToString(await Layout({ children: await Page() }));
const redirected = await buy().catch((error) => error.message);
const relayed = await POST(
  new Request('https://shop.example/sy/v1/flags/evaluate', {
    method: 'POST',
    headers: {
      host: 'shop.example',
      cookie: response.forwarded.get('cookie'),
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ propertyId: 'shop' }),
  }),
);
const script = await GET(new Request('https://shop.example/sy/sdk.js'));
const flags = await relayed.json();
await switchyard.close();
console.log(
  JSON.stringify({
    cookie: response.forwarded.get('cookie'),
    setCookie: response.headers.getSetCookie(),
    isMatched: ['/', '/products', '/sy/sdk.js'].map((path) => new RegExp('^' + config.matcher + '$').test(path)),
    html,
    redirected,
    flags,
    script: script.status,
  }),
);
`;

let shop: Shop;
let project: DocumentedProject;
beforeAll(async () => {
  shop = await openShop();
  project = new DocumentedProject('docs/getting-started/nextjs.md', shop.server.url);
});
afterAll(async () => {
  project?.remove();
  await closeShop(shop);
});

it('getting-started/nextjs.md: one visitor in proxy, components, server action and relay', async () => {
  project.write('visit.tsx', VISIT);
  const alias: Record<string, string> = {};
  for (const [name, code] of Object.entries(STAND_INS)) {
    project.write(`stand-ins/${name}.js`, code);
    alias[name] = join(project.directory, `stand-ins/${name}.js`);
  }
  await project.bundle('visit.tsx', 'visit.mjs', alias);
  const visit = JSON.parse(await project.run('visit.mjs'));
  const [, visitorId, sessionId] = /^theme=dark; sy_visitor=(\S+); sy_session=(\S+)$/.exec(visit.cookie)!;
  expect(visit.setCookie).toEqual([
    expect.stringMatching(`^sy_visitor=${visitorId};.*; Secure$`),
    expect.stringMatching(`^sy_session=${sessionId};.*; Secure$`),
  ]);
  expect(visit.isMatched).toEqual([true, true, false]);
  expect(visit.html).toMatch(/<button type="submit">(Buy|Get it)<\/button>/);
  expect(visit.redirected).toBe('redirect to /thanks');
  expect(visit.flags.flags['new-checkout'].value).toBe(false);
  expect(visit.script).toBe(200);
  expect(await shop.session(sessionId!)).toMatchObject({
    exposures: [],
    goals: [{ goalId: 'revenue', count: 1, amount: 49.9 }],
  });
});
