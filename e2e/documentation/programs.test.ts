import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DocumentedProject } from '../support/documented-project.ts';

let shop: Shop;
let project: DocumentedProject | undefined;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));
afterEach(() => project?.remove());

const open = (page: string) => (project = new DocumentedProject(page, shop.server.url));

/** A visitor with cookies. */
class Visitor {
  readonly url: string;
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { connection: 'close', cookie: this.cookie, ...init.headers };
    const response = await fetch(this.url + path, { redirect: 'manual', ...init, headers });
    const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
    if (cookies.length > 0) this.cookie = cookies.join('; ');
    return response;
  }

  /** The text of the buy button. */
  async openPage(): Promise<string | undefined> {
    const page = await this.fetch('/').then((response) => response.text());
    return />(Buy|Get it)<\/button>/.exec(page)?.[1];
  }

  get sessionId(): string {
    return /sy_session=([^;]+)/.exec(this.cookie)![1]!;
  }
}

const exposureOf = (label: string | undefined) => ({
  splitTestKey: 'hero',
  variationKey: label === 'Buy' ? 'control' : 'b',
});

describe('servers', () => {
  it.each(['express.md', 'fastify.md'])('getting-started/%s', async (page) => {
    const { url, stop } = await open(`docs/getting-started/${page}`).start('server.mjs');
    const visitor = new Visitor(url);
    const label = await visitor.openPage();
    expect(label).toBeDefined();
    expect(await visitor.openPage()).toBe(label);
    const bought = await visitor.fetch('/buy', { method: 'POST' });
    expect(bought.status).toBe(303);
    const next = await visitor.fetch(bought.headers.get('location')!);
    expect(await next.text()).toBe('Thank you! This is /checkout.');

    const headers = { 'content-type': 'application/json', origin: url };
    const relayed = (path: string, body: object) =>
      visitor.fetch(`/sy/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const feedback = { propertyId: 'shop', feedbackTypeId: 'nps', option: 'good' };
    expect((await relayed('v1/feedback/submit', feedback)).status).toBe(200);
    expect((await visitor.fetch('/sy/sdk.js')).status).toBe(200);

    await stop();
    expect(await shop.session(visitor.sessionId)).toMatchObject({
      exposures: [exposureOf(label)],
      goals: [{ goalId: 'revenue', count: 1, amount: 49.9 }],
      feedback: 1,
    });
  });

  it('guides/server-rendering.md', async () => {
    const { url, stop } = await open('docs/guides/server-rendering.md').start('server.mjs');
    const visitor = new Visitor(url);
    const label = await visitor.openPage();
    expect(label).toBeDefined();
    await stop();
    expect(await shop.session(visitor.sessionId)).toMatchObject({ exposures: [exposureOf(label)] });
  });

  it('guides/consent.md', async () => {
    const { url, stop } = await open('docs/guides/consent.md').start('server.mjs');
    const visitor = new Visitor(url);
    expect(await visitor.openPage()).toBe('Buy');
    expect(visitor.cookie).toBe('');
    visitor.cookie = 'consent=yes';
    const label = await visitor.openPage();
    await stop();
    expect(await shop.session(visitor.sessionId)).toMatchObject({ exposures: [exposureOf(label)] });
  });
});

describe('scripts', () => {
  it.each([
    ['docs/guides/openfeature.md', 'server-flags.ts', /value: true[\s\S]*reason: 'TARGETING_MATCH'/],
    ['docs/guides/switching.md', 'compare.ts', /flag differs \{[\s\S]*ruleId: 'staff'/],
    ['docs/guides/debugging.md', 'debug.mjs', /reason: 'TARGETING_MATCH'[\s\S]*ruleId: 'staff'/],
  ])('%s', async (page, name, expected) => {
    await open(page).bundle(name, 'script.mjs');
    expect(await project!.run('script.mjs')).toMatch(expected);
  });

  it('docs/guides/server-rendering.md, as a Fetch handler', async () => {
    await open('docs/guides/server-rendering.md').bundle('handler.ts', 'handler.mjs');
    project!.write(
      'run.mjs',
      `import { handler } from './handler.mjs';
const response = await handler(new Request('http://localhost/'));
console.log(response.headers.getSetCookie().length, await response.text());
process.exit();`,
    );
    expect(await project!.run('run.mjs')).toMatch(/^2 <!doctype html>.*>(Buy|Get it)<\/button>/);
  });
});
