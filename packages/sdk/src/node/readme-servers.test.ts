import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { freePort } from '@switchyard/testing/network/free-port';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const relayGuide = readFileSync(join(PACKAGE, '../../docs/guides/relay.md'), 'utf8');

let shop: Shop;
let project: string;
beforeAll(async () => {
  shop = await openShop();
  project = mkdtempSync(join(tmpdir(), 'switchyard-readme-'));
  mkdirSync(join(project, 'node_modules/@switchyard'), { recursive: true });
  symlinkSync(PACKAGE, join(project, 'node_modules/@switchyard/sdk'));
  for (const name of ['express', 'fastify'])
    symlinkSync(join(MODULES, name), join(project, 'node_modules', name));
});
afterAll(async () => {
  await closeShop(shop);
  rmSync(project, { recursive: true, force: true });
});

/** Runs a program of the documentation on a free port. */
async function startProgram(name: string, code: string) {
  const file = join(project, `${name}.mjs`);
  writeFileSync(file, code);
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      SWITCHYARD_URL: shop.server.url,
      SWITCHYARD_SECRET_KEY: SECRET_KEY,
    },
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

it.each(['Express', 'Fastify'])('%s', async (name) => {
  const snippet = new RegExp(`^## ${name}\\n.*?^\`\`\`js\\n(.*?)^\`\`\``, 'ms').exec(readme)?.[1];
  expect(snippet).toBeDefined();
  const { child, url } = await startProgram(name, snippet!);
  const ended = once(child, 'exit');
  try {
    const request = (path: string, init: RequestInit) =>
      fetch(url + path, { redirect: 'manual', ...init, headers: { connection: 'close', ...init.headers } });
    let first: Response | undefined;
    await waitFor('the first page', async () => {
      first = await request('/', {}).catch(() => undefined);
      return first?.status === 200;
    });
    const page = await first!.text();
    const label = /<button[^>]*>(Buy|Get it)<\/button>/.exec(page)?.[1];
    expect(label).toBeDefined();
    expect(page).toContain('window.__SWITCHYARD__=');
    const cookie = first!.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const [, sessionId] = /sy_session=([^;]+)/.exec(cookie)!;
    const [, visitorId] = /sy_visitor=([^;]+)/.exec(cookie)!;

    const second = await request('/', { headers: { cookie } });
    expect(await second.text()).toContain(`>${label}</button>`);
    const bought = await request('/buy', { method: 'POST', headers: { cookie } });
    expect(bought.status).toBe(303);
    expect(bought.headers.get('location')).toBe('/checkout');

    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await shop.session(sessionId!)).toMatchObject({
      visitorId,
      exposures: [{ splitTestKey: 'hero', variationKey: label === 'Buy' ? 'control' : 'b' }],
      goals: [{ goalId: 'revenue', count: 1, amount: 49.9 }],
    });
    expect(await shop.timeline(sessionId!, 'exposure')).toHaveLength(1);
  } finally {
    child.kill('SIGKILL');
  }
});

const RELAY_SERVERS = ['Express', 'Fastify', 'node:http', 'Next.js, Hono and other Fetch handlers'];
const SERVE_FETCH_HANDLER = `
import { createServer as createNodeServer } from 'node:http';
createNodeServer(async (request, response) => {
  const init = { method: request.method, headers: request.headers };
  if (request.method === 'POST') init.body = await new Response(request).text();
  const result = await (request.method === 'POST' ? POST : GET)(new Request('http://site' + request.url, init));
  response.writeHead(result.status, [...result.headers].flat()).end(await result.text());
}).listen(process.env.PORT, '127.0.0.1');
`;

it.each(RELAY_SERVERS)('the relay guide: %s', async (name) => {
  const snippet = relayGuide.split(`### ${name}\n`)[1]?.match(/^```js\n(.*?)^```/ms)?.[1];
  expect(snippet).toBeDefined();
  const { child, url } = await startProgram(
    `relay-${RELAY_SERVERS.indexOf(name)}`,
    snippet! + (snippet!.includes('relay.fetch') ? SERVE_FETCH_HANDLER : ''),
  );
  try {
    const post = (path: string, body: object) =>
      fetch(`${url}/sy${path}`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.json());
    const flags = await waitFor('the flags', () => post('/v1/flags/evaluate', {}).catch(() => undefined));
    expect(flags).toEqual({
      flags: { 'new-checkout': { value: false, type: 'boolean', reason: 'DEFAULT' } },
    });
    expect(await post('/v1/goals/increment', { goalId: 'signup' })).toEqual({ success: true });
    const script = await fetch(`${url}/sy/sdk.js`);
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
  } finally {
    child.kill('SIGKILL');
  }
});
