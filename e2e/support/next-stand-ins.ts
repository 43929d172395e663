/** Next.js is not a dependency of this repository. These have the few functions that the documentation uses. */
export const NEXT_STAND_INS = {
  'next/server': `export class NextResponse extends Response {
    static next({ request }) { return Object.assign(new NextResponse(), { forwarded: request.headers }); }
  }`,
  'next/headers': 'export const headers = async () => globalThis.currentHeaders;',
  'next/navigation': `export function redirect(path) { throw new Error('redirect to ' + path); }`,
};

/** A first visit to the app of the documentation: proxy, page, sale, and two requests of the page to the relay. */
export const NEXT_VISIT = `
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
const cookie = response.forwarded.get('cookie');
const relayed = await POST(
  new Request('https://shop.example/sy/v1/flags/evaluate', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ propertyId: 'shop' }),
  }),
);
const { flags } = await relayed.json();
const script = await GET(new Request('https://shop.example/sy/sdk.js'));
await switchyard.close();

const matcher = new RegExp('^' + config.matcher + '$');
console.log(
  JSON.stringify({
    cookie,
    setCookie: response.headers.getSetCookie(),
    isMatched: ['/', '/products', '/sy/sdk.js'].map((path) => matcher.test(path)),
    html,
    redirected,
    flags,
    script: script.status,
  }),
);
`;
