import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { TestServer } from '@switchyard/testing/server/test-server';
import type { BrowserContext, Page } from 'playwright-core';

const GARDEN_PUBLIC_KEY = 'service_pub_0123456789abcdefGardenPublic';
const GARDEN_SECRET_KEY = 'service_sec_0123456789abcdefGardenSecret';

const test = (key: string, type: string, values: [string, string], rest: object = {}) => ({
  key,
  type,
  status: 'running',
  hashSeed: `seed-${key}`,
  trafficAllocation: 100,
  variations: [
    { key: 'control', weight: 50, value: values[0] },
    { key: 'b', weight: 50, value: values[1] },
  ],
  ...rest,
});

const property = (id: string, publicKey: string, secretKey: string, splitTests: object[]) => ({
  id,
  name: id,
  apiKeys: [
    { kind: 'public', name: 'web', key: publicKey },
    { kind: 'secret', name: 'backend', key: secretKey },
  ],
  splitTests,
});

/** Two properties with pages on the same origin. */
export const VISITS_PROVISION = {
  properties: [
    property('shop', PUBLIC_KEY, SECRET_KEY, [
      test('hero', 'text', ['Buy', 'Get it']),
      test('layout', 'id', ['control', 'b']),
      test('pricing', 'json', ['{"price":10}', '{"price":12}']),
      test('no-traffic', 'text', ['unchanged', 'new'], { trafficAllocation: 0 }),
    ]),
    property('garden', GARDEN_PUBLIC_KEY, GARDEN_SECRET_KEY, [test('hero', 'text', ['Dig', 'Plant'])]),
  ],
};

const KEYS = {
  shop: { publicApiKey: PUBLIC_KEY, secret: SECRET_KEY },
  garden: { publicApiKey: GARDEN_PUBLIC_KEY, secret: GARDEN_SECRET_KEY },
};

export interface PageOptions {
  property?: keyof typeof KEYS;
  options?: object;
  /** Runs before the client is created. */
  before?: string;
  head?: string;
  body?: string;
  /** Waits for definitions for a second only, as pages do by default. */
  isImpatient?: boolean;
}

/** Long enough for a busy machine. */
const PATIENCE_MS = 600_000;

/** Makes the page of a snippet wait for definitions as long as it takes. */
export const patientPage = (code: string): string =>
  code.replace(/const client = [\w.]*createSwitchyard\(\{.*?\}\);/s, `$& client.ready(${PATIENCE_MS});`);

/** A page that loads the SDK as in the README; its client is `window.sy`. */
export function pageWithSdk(apiUrl: string, { property = 'shop', ...page }: PageOptions = {}): string {
  const { publicApiKey } = KEYS[property];
  const options = JSON.stringify({ apiUrl, publicApiKey, propertyId: property, ...page.options });
  return `<!doctype html><html><head><title>Shop</title>${page.head ?? ''}
<script src="/sdk.js"></script>
<script>${page.before ?? ''};window.options = ${options};window.sy = switchyard.createSwitchyard(options);
${page.isImpatient ? '' : `sy.ready(${PATIENCE_MS});`}</script>
</head><body>${page.body ?? ''}</body></html>`;
}

interface Entry {
  type: string;
  name?: string;
  url?: string;
  referrer?: string;
  title?: string;
  splitTestKey?: string;
  variationKey?: string;
  properties?: Record<string, unknown>;
  attributes?: Record<string, unknown>;
}

export interface StoredSession {
  sessionId: string;
  visitorId: string;
  userId: string | null;
  pageviews: number;
  attributes?: Record<string, unknown>;
  timeline: Entry[];
}

/** The sessions of a visitor with their timelines, oldest first. */
export async function sessionsOf(
  server: TestServer,
  visitorId: string,
  propertyId: keyof typeof KEYS = 'shop',
): Promise<StoredSession[]> {
  const key = KEYS[propertyId].secret;
  const list = await server.call('GET', `/v1/sessions?propertyId=${propertyId}&visitorId=${visitorId}`, {
    key,
  });
  const details = list.body.sessions.map(async ({ sessionId }: { sessionId: string }) => {
    const response = await server.call(
      'GET',
      `/v1/sessions/${sessionId}?propertyId=${propertyId}&limit=1000`,
      {
        key,
      },
    );
    return response.body as StoredSession;
  });
  return (await Promise.all(details)).reverse();
}

/** The number of sessions of all visitors. */
export async function countSessions(server: TestServer): Promise<number> {
  const response = await server.call('GET', '/v1/sessions?propertyId=shop&limit=500', { key: SECRET_KEY });
  return response.body.sessions.length;
}

/** The timeline as short text: `pageview /path`, `exposure hero=b`, `event name`. */
function summary({ timeline }: Pick<StoredSession, 'timeline'>): string[] {
  return timeline.map((entry) => {
    if (entry.type === 'pageview') return `pageview ${new URL(entry.url!).pathname}`;
    if (entry.type === 'exposure') return `exposure ${entry.splitTestKey}=${entry.variationKey}`;
    return [entry.type, entry.name].filter(Boolean).join(' ');
  });
}

/** The summary in sorted order, because events with the same time have no defined order. */
export const sorted = (session: StoredSession | undefined) => summary(session!).sort();

/** Collects errors, rejections and console output of a page. */
export function watchConsole(page: Page): string[] {
  const consoleMessages: string[] = [];
  page.on('pageerror', (error) => consoleMessages.push(String(error)));
  page.on('console', (message) => {
    // The browser itself logs failed requests.
    if (!message.text().startsWith('Failed to load resource')) consoleMessages.push(message.text());
  });
  return consoleMessages;
}

/** Requests to the service, as `GET /v1/…`. */
export function watchRequests(page: Page | BrowserContext, apiUrl: string): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(apiUrl)) return;
    requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return requests;
}
