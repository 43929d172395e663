import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '@switchyard/testing/network/free-port';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../samples/shop/demo.js', import.meta.url));

/** The demo makes its directory in here. */
const directory = temporaryDirectory();
let demo: ChildProcess;
let output = '';
let url: string;
let cookie: string;
const startedAt = Date.now();

beforeAll(async () => {
  const port = await freePort();
  demo = spawn(process.execPath, [DEMO, '--visitors', '600', '--no-open'], {
    env: { PATH: process.env.PATH, TMPDIR: directory, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [demo.stdout!, demo.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await waitFor('the demo', () => {
    if (demo.exitCode !== null) throw new Error(`the demo ended:\n${output}`);
    return output.includes('Ctrl-C');
  });
  url = /open at (\S+)/.exec(output)![1]!;
  expect(url).toBe(`http://127.0.0.1:${port}`);
});

afterAll(async () => {
  if (demo.exitCode === null) {
    demo.kill('SIGTERM');
    await once(demo, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: the responses are checked in the tests of their endpoints
async function read(path: string): Promise<any> {
  const response = await fetch(url + path, { headers: { cookie } });
  expect(response.status, path).toBe(200);
  return response.json();
}

const manage = (path: string) => read(`/v1/manage/properties/shop/${path}`);

test('the printed link signs in once and opens the overview', async () => {
  const link = /\S+\/sign-in\/\S+/.exec(output)![0];
  const open = () => fetch(link, { redirect: 'manual' });
  const first = await open();
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe(`${url}/p/shop/overview`);
  expect(first.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
  cookie = first.headers.get('set-cookie')!.split(';')[0]!;
  const second = await open();
  expect([second.status, second.headers.get('set-cookie')]).toEqual([410, null]);
  expect((await read('/v1/manage/me')).account).toMatchObject({ email: 'demo@example.com', isOwner: true });
});

test('the configuration has a past', async () => {
  const { splitTests, flags } = await manage('configuration');
  const statuses = splitTests.map(({ status }: { status: string }) => status);
  expect(new Set(statuses)).toEqual(new Set(['draft', 'running', 'paused', 'stopped', 'archived']));
  expect(flags.length).toBeGreaterThanOrEqual(12);
  const { history } = await manage('history?limit=100');
  const days = new Set(history.map(({ at }: { at: number }) => new Date(at).toISOString().slice(0, 10)));
  expect(days.size).toBeGreaterThan(20);
  expect(new Set(history.map(({ via }: { via: string }) => via))).toEqual(
    new Set(['file', 'dashboard', 'token', 'schedule']),
  );
  const { proposals } = await manage('proposals');
  expect(proposals.map(({ state }: { state: string }) => state)).toContain('open');
});

test('visits take part in split tests, reach goals and leave feedback', async () => {
  const results = await read('/v1/split-testing/results?propertyId=shop&splitTestKey=free-shipping-bar');
  expect(results.verdict.words).toContain('Added to cart');
  for (const { visitors } of results.variations) expect(visitors).toBeGreaterThan(50);
  const { current, previous } = await read('/v1/goals/progress?propertyId=shop&goalId=purchase');
  expect(current.gross).toBeGreaterThan(0);
  expect(previous.gross).toBeGreaterThan(0);
  const { feedback } = await read('/v1/feedback?propertyId=shop&limit=500');
  const of = (field: string) => new Set(feedback.map((entry: Record<string, unknown>) => entry[field]));
  expect(of('feedbackTypeId').size).toBe(4);
  expect(of('status').size).toBeGreaterThan(1);
  const { flags } = await read('/v1/flags/usage?propertyId=shop');
  const stale = flags.filter(({ environments }: { environments: { stale: unknown }[] }) =>
    environments.some((environment) => environment.stale !== null),
  );
  expect(stale.map(({ flagKey }: { flagKey: string }) => flagKey)).toEqual(['spring-banner', 'legacy-cart']);
});

test('the library has finished tests and a measured flag', async () => {
  const { tests, record } = await read('/v1/split-testing/library?propertyId=shop&limit=50');
  expect(record).toMatchObject({ finished: tests.length, pending: 0 });
  const rules = tests.filter(({ measuredRule }: { measuredRule?: object }) => measuredRule !== undefined);
  expect(rules).toMatchObject([
    { measuredRule: { flagKey: 'reading-time' }, outcome: 'roll-back', winner: 'off', control: 'off' },
  ]);
  expect(rules[0].figures.visitors).toBeGreaterThan(20);
});

test('live visitors use the same browsers', async () => {
  const software = ({ device, browser, os }: Record<string, string>) => `${device} ${browser} ${os}`;
  const sessions = async () => (await read('/v1/sessions?propertyId=shop&limit=300')).sessions;
  const isLive = (session: { startedAt: number }) => session.startedAt > startedAt;
  const known = new Set(
    (await sessions()).filter((session: { startedAt: number }) => !isLive(session)).map(software),
  );
  const live = await waitFor('a live visit', async () => (await sessions()).find(isLive));
  expect(known).toContain(software(live));
});

test('an interrupt ends it and removes its data', async () => {
  demo.kill('SIGINT');
  const [code] = await once(demo, 'exit');
  expect(code, output).toBe(0);
  expect(readdirSync(directory)).toEqual([]);
});
