import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, Shop } from '@switchyard/testing/fixtures/shop';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { startServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AppProcess, canStartContainers } from '../../testing/app-process.ts';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { createSwitchyard, type DeliveryResult } from '../node.ts';

const seed = Number(process.env.SDK_SEED ?? Date.now() % 2 ** 31);
const random = mulberry32(seed);
const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));

let shop: Shop;
let directory: string;
let apps: AppProcess[];
let proxies: FaultyProxy[];
beforeAll(async () => {
  console.log(`crashes: SDK_SEED=${seed}`);
  shop = await openShop();
});
afterAll(() => closeShop(shop));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-spool-'));
  apps = [];
  proxies = [];
});
afterEach(async () => {
  for (const app of apps) await app.kill();
  for (const proxy of proxies) proxy.close();
  rmSync(directory, { recursive: true, force: true });
});

function startApp(
  sessionId: string,
  calls: number,
  apiUrl = shop.server.url,
  options: { pauseMs?: number; isShort?: boolean; container?: string } = {},
): AppProcess {
  const timeoutMs = options.isShort ? 60_000 : 200;
  const switchyard = { apiUrl, spoolDirectory: directory, timeoutMs };
  const app = new AppProcess({ switchyard, sessionId, calls, pauseMs: 1, ...options });
  apps.push(app);
  return app;
}

/** A process that only flushes, and ends. */
const flushOnce = (apiUrl?: string, container?: string) =>
  startApp('session-flush', 0, apiUrl, { isShort: true, ...(container ? { container } : {}) }).flushed;

async function startOutage(): Promise<FaultyProxy> {
  const proxy = await FaultyProxy.start(shop.server.url);
  proxies.push(proxy);
  proxy.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  return proxy;
}

const endOutage = (proxy: FaultyProxy) => {
  proxy.intercept = () => false;
};

/** An app whose calls have all returned during an outage, and that is killed then. */
async function killAfter(calls: number, app: AppProcess): Promise<void> {
  await waitFor('all calls to return', () => app.results.size === calls);
  expect(outcomes(app.results.values())).toEqual(new Set(['queued']));
  await app.kill();
}

/** On the same port. */
async function restartServer(): Promise<void> {
  const { dataDir, url } = shop.server;
  shop = new Shop(await startServer({ dataDir, env: { PORT: new URL(url).port } }));
}

function touch(files: string[]): void {
  const now = new Date();
  for (const file of files) utimesSync(join(directory, file), now, now);
}

const spoolFiles = (pid?: number) =>
  readdirSync(directory).filter((file) => pid === undefined || file.includes(`-${pid}-`));

const spoolBytes = () =>
  spoolFiles().reduce((bytes, file) => bytes + statSync(join(directory, file)).size, 0);

/** How often each purchase was counted, by the number of the call. */
async function counts(sessionId: string): Promise<Map<number, number>> {
  const counted = new Map<number, number>();
  if (await shop.isUnknown(sessionId)) return counted;
  for (const { metadata } of await shop.timeline(sessionId, 'goal')) {
    const call = Number(metadata.call);
    counted.set(call, (counted.get(call) ?? 0) + 1);
  }
  return counted;
}

/** Every call that returned is counted, and none twice. */
async function expectCountedOnce(sessionId: string, results: Map<number, DeliveryResult>): Promise<void> {
  await waitFor(`the purchases of ${sessionId}`, async () => {
    const counted = await counts(sessionId);
    return [...results.keys()].every((call) => counted.has(call));
  });
  for (const [call, count] of await counts(sessionId)) expect([call, count]).toEqual([call, 1]);
}

const outcomes = (results: Iterable<DeliveryResult>) =>
  new Set(
    [...results].map((result) => (result.success ? 'stored' : result.queued ? 'queued' : result.error.code)),
  );

it('counts each goal once when the server is killed and restarted later', async () => {
  const sessionId = 'session-server-killed';
  const client = createSwitchyard({
    apiUrl: shop.server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    evaluation: 'remote',
  });
  const results = new Map<number, DeliveryResult>();
  const calls: Promise<unknown>[] = [];
  const buy = (call: number, timeoutMs = 200) => {
    const purchase = { amount: 1, sessionId, metadata: { call: String(call) }, timeoutMs };
    calls.push(client.goals.increment('revenue', purchase).then((result) => results.set(call, result)));
  };
  buy(0, 30_000);
  await Promise.all(calls);
  const stored = between(1, 40);
  for (let call = 1; call < 60; call++) {
    buy(call);
    if (results.size >= stored) shop.server.process.kill('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await shop.server.stop('SIGKILL');
  for (let call = 60; call < 90; call++) buy(call);
  await Promise.all(calls);
  expect(results.size).toBe(90);
  expect(outcomes([...results].filter(([call]) => call >= 60).map(([, result]) => result))).toEqual(
    new Set(['queued']),
  );
  await restartServer();
  expect(outcomes([...results.values()])).toEqual(new Set(['stored', 'queued']));
  await expectCountedOnce(sessionId, results);
  expect(await client.close()).toEqual({ success: true });
});

it('counts each goal once when the app is killed during an outage, by the next process', async () => {
  const proxy = await FaultyProxy.start(shop.server.url);
  // Stored, but the app does not learn about it; later calls do not even arrive.
  let arriving = 5;
  proxy.intercept = (_request, response) => {
    if (arriving-- > 0) return 'lose';
    response.destroy();
    return true;
  };
  const sessionId = 'session-app-killed';
  const app = startApp(sessionId, 30, proxy.url);
  await killAfter(30, app);
  const keys = new Set(proxy.requests.map(({ headers }) => headers['idempotency-key']));
  endOutage(proxy);
  startApp(sessionId, 0, proxy.url);
  await expectCountedOnce(sessionId, app.results);
  expect(await counts(sessionId)).toHaveProperty('size', 30);
  for (const { headers } of proxy.requests) keys.add(headers['idempotency-key']);
  expect(keys.size).toBe(30);
  await waitFor('an empty file', () => spoolBytes() === 0);
  proxy.close();
});

it('counts each goal once when the server and the app are both killed, repeatedly', async () => {
  const sessionId = 'session-both-killed';
  // More calls than it has time for.
  const app = startApp(sessionId, 900, shop.server.url, { pauseMs: 20 });
  const stored = between(1, 60);
  await waitFor('some results', () => app.results.size >= stored);
  await shop.server.stop('SIGKILL');
  const queued = between(1, 40);
  await waitFor(
    'queued purchases',
    () => [...app.results.values()].filter((it) => !it.success).length >= queued,
  );
  await app.kill();
  // The next one takes over during the outage, and is killed too.
  const second = startApp(`${sessionId}-2`, 20);
  await waitFor('the adoption', () => spoolFiles(app.pid).length === 0 && second.results.size === 20);
  await second.kill();
  await restartServer();
  const third = startApp(`${sessionId}-3`, 5);
  await expectCountedOnce(sessionId, app.results);
  await expectCountedOnce(`${sessionId}-2`, second.results);
  await waitFor('its own', () => third.results.size === 5);
  await expectCountedOnce(`${sessionId}-3`, third.results);
  console.log(`both killed: ${app.results.size} calls returned, ${(await counts(sessionId)).size} counted`);
});

it('lets two processes share a directory: the one that runs on delivers for the one that is gone', async () => {
  const proxy = await startOutage();
  const [gone, running] = [
    startApp('session-gone', 10, proxy.url),
    startApp('session-running', 10, proxy.url),
  ];
  await waitFor('all calls to return', () => gone.results.size === 10 && running.results.size === 10);
  await waitFor(
    'a file each',
    () => spoolFiles(gone.pid).length === 1 && spoolFiles(running.pid).length === 1,
  );
  const files = spoolFiles();
  touch(files);
  const touchedAt = performance.now();
  // Another start leaves the files of running processes alone.
  const third = startApp('session-third', 1, proxy.url);
  await waitFor('its call to return', () => third.results.size === 1);
  const filesAfter = spoolFiles();
  // Unless this machine stalled, and they looked abandoned.
  if (performance.now() - touchedAt < 29_000) expect(filesAfter).toEqual(expect.arrayContaining(files));
  await third.kill();
  await gone.kill();
  await waitFor('the adoption', () => spoolFiles(gone.pid).length + spoolFiles(third.pid).length === 0);
  endOutage(proxy);
  await expectCountedOnce('session-gone', gone.results);
  await expectCountedOnce('session-running', running.results);
  await expectCountedOnce('session-third', third.results);
});

it('flushes what a killed process has left, or says that it could not', async () => {
  const proxy = await startOutage();
  const app = startApp('session-left', 20, proxy.url);
  await killAfter(20, app);
  const timeoutMs = 300;
  const client = createSwitchyard({
    apiUrl: proxy.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    evaluation: 'remote',
    spoolDirectory: directory,
    timeoutMs,
  });
  // The first call of a new process: it has not had time to look for files.
  expect(await client.flush()).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('20 events could not be sent yet') },
  });
  expect(await client.close()).toMatchObject({ success: false });
  endOutage(proxy);
  expect(await flushOnce(proxy.url)).toEqual({ success: true });
  // Already counted, not soon.
  expect(await counts('session-left')).toHaveProperty('size', 20);
  await expectCountedOnce('session-left', app.results);
});

it('counts each goal once when processes are killed while they take over', async () => {
  const proxy = await startOutage();
  const sessionId = 'session-taken-over';
  const app = startApp(sessionId, 200, proxy.url);
  await killAfter(200, app);
  endOutage(proxy);
  for (let i = 0; i < 8; i++) {
    const next = startApp(`${sessionId}-${i}`, 0, proxy.url);
    // Loading the SDK takes about as long.
    await new Promise((resolve) => setTimeout(resolve, between(50, 250)));
    await next.kill();
  }
  expect(await flushOnce(proxy.url)).toEqual({ success: true });
  expect(await counts(sessionId)).toHaveProperty('size', 200);
  await expectCountedOnce(sessionId, app.results);
  // Nothing is left for the next process, although this one ended without a close.
  expect(spoolBytes()).toBe(0);
});

it.runIf(process.platform === 'linux')('recognizes a process id that was reused', async () => {
  const proxy = await startOutage();
  const app = startApp('session-reused', 5, proxy.url);
  await killAfter(5, app);
  const [file] = spoolFiles(app.pid);
  // This process is running, and started at another time.
  renameSync(join(directory, file!), join(directory, file!.replace(`-${app.pid}-`, `-${process.pid}-`)));
  endOutage(proxy);
  expect(await flushOnce(proxy.url)).toEqual({ success: true });
  expect(await counts('session-reused')).toHaveProperty('size', 5);
});

it.runIf(canStartContainers())('tells containers apart, where every process has the id 1', async () => {
  const proxy = await startOutage();
  const running = startApp('session-container', 5, proxy.url, { container: 'first' });
  await waitFor('all calls to return', () => running.results.size === 5);
  const files = spoolFiles(1);
  expect(files).toHaveLength(1);
  touch(files);
  const touchedAt = performance.now();
  const other = startApp('session-other', 5, proxy.url, { container: 'second' });
  await waitFor('all calls to return', () => other.results.size === 5);
  if (performance.now() - touchedAt < 29_000) expect(spoolFiles(1)).toEqual(expect.arrayContaining(files));
  await running.kill();
  endOutage(proxy);
  // The first one is started again.
  expect(await flushOnce(proxy.url, 'first')).toEqual({ success: true });
  expect(await counts('session-container')).toHaveProperty('size', 5);
  await expectCountedOnce('session-other', other.results);
});
