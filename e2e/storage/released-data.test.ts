/**
 * Data directories that releases have written: every later version opens them, gives the same answers, and verifies
 * their bundles and their history.
 *
 * `WRITE_RELEASED_DATA=1 npx vitest run e2e/storage/released-data.test.ts` writes the one of the present version.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterEach, expect, test } from 'vitest';

/** What a release has written, and what it answered about it at that time. */
interface KeptRelease {
  at: number;
  /** Content by path, as base64. */
  files: Record<string, string>;
  answers: { path: string; body: unknown }[];
  bundle: object;
}

const DIRECTORY = fileURLToPath(new URL('../released-data/', import.meta.url));
const BEGIN = Date.UTC(2026, 10, 2, 9);
const HOUR_MS = 3_600_000;
const HOURS = 72;
const PERIOD = `from=${BEGIN}&to=${BEGIN + HOURS * HOUR_MS}`;
const RESULTS = '/v1/split-testing/results?propertyId=shop&splitTestKey=hero';
const HISTORY = '/v1/manage/properties/shop/history?limit=100';

const QUESTIONS = [
  RESULTS,
  '/v1/flags/list?propertyId=shop',
  `/v1/goals/progress?propertyId=shop&goalId=signup&${PERIOD}`,
  `/v1/goals/progress?propertyId=shop&goalId=revenue&${PERIOD}`,
  '/v1/sessions?propertyId=shop&limit=100',
  '/v1/sessions/session-7?propertyId=shop',
  '/v1/feedback?propertyId=shop',
  `/v1/traffic/summary?propertyId=shop&${PERIOD}`,
];

const clock = new AdjustableClock();
let server: TestServer | undefined;
afterEach(async () => {
  await discard(server);
  server = undefined;
});

/** In a copy, because a start may upgrade the files. */
async function openRelease({ at, files }: KeptRelease): Promise<TestServer> {
  const dataDir = temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dataDir, path)), { recursive: true });
    writeFileSync(join(dataDir, path), Buffer.from(content, 'base64'));
  }
  clock.freeze(at);
  server = await startServer({ dataDir, wrap: clock.wrap });
  return server;
}

async function answersOf(server: TestServer): Promise<KeptRelease['answers']> {
  const answers: KeptRelease['answers'] = [];
  for (const path of QUESTIONS) {
    const { status, body } = await server.send('GET', path, { key: SECRET_KEY });
    expect(status, path).toBe(200);
    answers.push({ path, body });
  }
  const owner = await ownerBrowser(server);
  const { body } = await owner.get(HISTORY);
  return [...answers, { path: HISTORY, body }];
}

const readRelease = (name: string): KeptRelease =>
  JSON.parse(gunzipSync(readFileSync(join(DIRECTORY, name))).toString());

const releases = readdirSync(DIRECTORY).filter((name) => name.endsWith('.json.gz'));

test('there is a release', () => {
  expect(releases).not.toEqual([]);
});

test.each(releases)('%s opens, with the same answers, bundles and history', async (name) => {
  const release = readRelease(name);
  const opened = await openRelease(release);
  // Later versions may add members.
  expect(await answersOf(opened)).toMatchObject(release.answers);

  if (name.startsWith('0.2.')) {
    // Its tests started before rules were fixed.
    const { body } = await opened.send('GET', RESULTS, { key: SECRET_KEY });
    expect(body.decisionRule).toMatchObject({ state: 'started-before', fixedAt: null, changes: [] });
    expect(body.decisionRule.words).toMatch(/^The test started before rules were fixed/);
  }
  const file = join(opened.dataDir, 'bundle.json');
  writeFileSync(file, JSON.stringify(release.bundle));
  const verified = await switchyardWith({}, 'verify', file);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);

  await opened.stop();
  const doctor = await switchyardWith({ DATA_DIR: opened.dataDir }, 'doctor', '--json');
  const { checks } = JSON.parse(doctor.stdout) as { checks: { status: string; name: string }[] };
  expect(checks.filter(({ status, name }) => status !== 'ok' && name !== 'Disk space')).toEqual([]);
});

test('a release whose data was changed is noticed', async () => {
  const release = readRelease(releases.at(-1)!);
  const [results] = release.answers;
  const opened = await openRelease(release);
  const { body } = await opened.send('GET', RESULTS, { key: SECRET_KEY });
  expect(body).toMatchObject(results!.body as object);
  const increment = { propertyId: 'shop', goalId: 'signup', sessionId: 'session-7' };
  const sent = await opened.send('POST', '/v1/goals/increment', { key: SECRET_KEY, body: increment });
  expect(sent.status).toBe(200);
  const changed = await opened.send('GET', RESULTS, { key: SECRET_KEY });
  expect(changed.body).not.toMatchObject(results!.body as object);
});

test.runIf(process.env.WRITE_RELEASED_DATA)('writes the data of the present version', async () => {
  clock.freeze(BEGIN);
  server = await startServer({ provision: SAMPLE, env: WITH_OWNER, wrap: clock.wrap });
  await playVisits(server);
  await changeConfiguration(server);
  const at = BEGIN + (HOURS + 1) * HOUR_MS;
  clock.freeze(at);
  const answers = await answersOf(server);
  const bundlePath = RESULTS.replace('/results', '/results/export');
  const { body: bundle } = await server.send('GET', bundlePath, { key: SECRET_KEY });
  expect(await server.stop()).toBe(0);

  const files: Record<string, string> = {};
  for (const entry of readdirSync(server.dataDir, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'provision.json') continue;
    files[entry.name] = readFileSync(join(server.dataDir, entry.name)).toString('base64');
  }
  const { version } = JSON.parse(readFileSync(join(DIRECTORY, '../../packages/server/package.json'), 'utf8'));
  const release: KeptRelease = { at, files, answers, bundle };
  writeFileSync(join(DIRECTORY, `${version}.json.gz`), gzipSync(JSON.stringify(release), { level: 9 }));
});

/** A visit per hour: page views, exposures, conversions with refunds, and feedback. */
async function playVisits(to: TestServer): Promise<void> {
  const post = async (path: string, key: string, body: object) => {
    const { status, text } = await to.send('POST', path, { key, body: { propertyId: 'shop', ...body } });
    expect(status, text).toBe(200);
  };
  for (let hour = 0; hour < HOURS; hour++) {
    clock.freeze(BEGIN + hour * HOUR_MS);
    const sessionId = `session-${hour}`;
    const variationKey = hour % 2 === 0 ? 'control' : 'b';
    await post('/v1/sessions/collect', PUBLIC_KEY, {
      sessionId,
      visitorId: `visitor-${hour % 60}`,
      ...(hour % 3 === 0 && { userId: `user-${hour}` }),
      attributes: { plan: hour % 5 === 0 ? 'beta' : 'free' },
      events: [
        { type: 'pageview', url: `https://shop.example/page-${hour % 4}?utm_source=mail`, title: 'Shop' },
        { type: 'event', name: 'scrolled', properties: { depth: hour } },
      ],
    });
    await post('/v1/split-testing/expose', PUBLIC_KEY, {
      exposures: [{ splitTestKey: 'hero', variationKey, sessionId, attributes: { plan: 'free' } }],
    });
    if (hour % 4 === 1) await post('/v1/goals/increment', SECRET_KEY, { goalId: 'signup', sessionId });
    if (hour % 6 === 2) {
      await post('/v1/goals/increment', SECRET_KEY, { goalId: 'revenue', sessionId, amount: 19.99 });
    }
    if (hour % 12 === 2) {
      await post('/v1/goals/decrement', SECRET_KEY, { goalId: 'revenue', sessionId, amount: 9.99 });
    }
    if (hour % 9 === 0) {
      const message = `Message ${hour}`;
      await post('/v1/feedback/submit', SECRET_KEY, {
        feedbackTypeId: 'nps',
        sessionId,
        option: 'good',
        message,
      });
    }
  }
}

/** So that the history has entries of an account too. */
async function changeConfiguration(to: TestServer): Promise<void> {
  const owner = await ownerBrowser(to);
  for (const [path, change] of [
    ['flags/banner', { environments: { production: { value: 'summer' } } }],
    ['goals/signup', { name: 'New accounts' }],
  ] as const) {
    const { body, headers } = await owner.get(`/v1/manage/properties/shop/${path}`);
    expect(body).toBeDefined();
    const changed = await owner.call('PATCH', `/v1/manage/properties/shop/${path}`, {
      body: change,
      headers: { 'if-match': headers.get('etag')! },
    });
    expect(changed.status, changed.text).toBe(200);
  }
}
