import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyard, switchyardWith } from '@switchyard/testing/server/command-line';
import { PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';

type Body = TestResponse['body'];

let shop: Shop;
let scratch: string | undefined;
afterEach(async () => {
  await closeShop(shop);
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  scratch = undefined;
});

const forget = (...options: string[]) =>
  switchyard(shop.server, 'forget', '--property', 'shop', '--json', ...options);

async function erased(...options: string[]): Promise<number> {
  const { code, stdout, stderr } = await forget(...options);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).rows;
}

/** The texts that are in any file of the data directory. */
function found(texts: readonly string[], directory = shop.server.dataDir): string[] {
  const files = readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
  return texts.filter((text) => files.some((file) => file.includes(text)));
}

const sessionIds = async () =>
  (await shop.sessions()).sessions.map(({ sessionId }: Body) => sessionId).sort();

/** Ann has two devices of her own and shares one with Bob; one session was before she signed in. */
async function openWithAnn(workers = '1'): Promise<void> {
  shop = await openShop({ env: { ...WITH_OWNER, WORKERS: workers } });
  const page = (title: string) => ({ events: [{ type: 'pageview', url: 'https://shop.example/', title }] });
  await accepted(
    shop.collect({ sessionId: 'before-sign-in', visitorId: 'visitor-of-ann', ...page('title-of-ann') }),
    shop.collect({ sessionId: 'signed-in', visitorId: 'visitor-of-ann', userId: 'user-ann' }),
    shop.collect({ sessionId: 'shared-by-ann', visitorId: 'visitor-shared', userId: 'user-ann' }),
    shop.collect({ sessionId: 'shared-by-bob', visitorId: 'visitor-shared', userId: 'user-bob' }),
    shop.increment({ goalId: 'signup', sessionId: 'before-sign-in', metadata: { note: 'note-of-ann' } }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', message: 'said-by-ann', sessionId: 'signed-in' }),
    shop.increment({ goalId: 'signup', metadata: { mail: 'ann@example.com', kind: 'metadata-of-ann' } }),
    shop.submit({
      feedbackTypeId: 'nps',
      option: 'bad',
      message: 'said-by-cid',
      metadata: { mail: 'cid@example.com' },
    }),
    shop.submit({ feedbackTypeId: 'nps', option: 'bad', message: 'said-by-dan' }),
  );
}

test('a user is erased with the visitors who were no other; a preview says what goes', async () => {
  await openWithAnn();
  const manager = new PropertyManager(await ownerBrowser(shop.server));
  const preview = await manager.post('/erasures?dryRun=true', { userId: 'user-ann' });
  expect(preview.status, preview.text).toBe(200);
  expect(preview.body).toMatchObject({
    dryRun: true,
    summary: [expect.stringMatching(/"user-ann": 3 sessions of 2 visitors, with 1 event/)],
    erases: { visitors: 2, sessions: 3, events: 1, exposures: 0, conversions: 1, feedback: 1 },
  });
  expect(await sessionIds()).toHaveLength(4);
  expect(await erased('--user', 'user-ann')).toBe(5);
  expect(await sessionIds()).toEqual(['shared-by-bob']);
  const texts = [
    'user-ann',
    'visitor-of-ann',
    'title-of-ann',
    'note-of-ann',
    'said-by-ann',
    'before-sign-in',
  ];
  expect(found(texts)).toEqual([]);
  await shop.server.stop();
  expect(found([...texts, 'user-bob'])).toEqual(['user-bob']);
});

test('feedback and goals without a session are erased by id and by metadata', async () => {
  await openWithAnn();
  const { feedback } = await shop.feedback();
  const { id } = feedback.find(({ message }: Body) => message === 'said-by-dan');
  expect(await erased('--feedback', id)).toBe(1);
  expect(await erased('--metadata', 'mail=ann@example.com')).toBe(1);
  expect(await erased('--metadata', 'mail=cid@example.com')).toBe(1);
  expect(await erased('--metadata', 'mail=nobody@example.com')).toBe(0);
  const texts = ['said-by-dan', 'ann@example.com', 'metadata-of-ann', 'cid@example.com', 'said-by-cid'];
  expect(found(texts)).toEqual([]);
  await shop.server.stop();
  expect(found([...texts, 'said-by-ann'])).toEqual(['said-by-ann']);
  const wrong = await forget('--metadata', 'no-value');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/KEY=VALUE/) });
});

test.each(['1', '2'])(
  'late events do not bring anybody back, until it is lifted; %s workers',
  async (workers) => {
    await openWithAnn(workers);
    await erased('--user', 'user-ann');
    const late = () =>
      accepted(
        shop.collect({ sessionId: 'signed-in', visitorId: 'visitor-of-ann', userId: 'user-ann' }),
        shop.collect({ sessionId: 'late-session', visitorId: 'visitor-of-ann' }),
        shop.increment({ goalId: 'signup', sessionId: 'before-sign-in', metadata: { note: 'late-goal' } }),
        shop.submit({ feedbackTypeId: 'nps', option: 'good', message: 'late-words', sessionId: 'signed-in' }),
        shop.expose({
          splitTestKey: 'hero',
          variationKey: 'b',
          sessionId: 'shared-by-ann',
          timestamp: Date.now(),
        }),
      );
    await late();
    // Without the user, who signs in again on another device.
    await accepted(shop.collect({ sessionId: 'new-device', visitorId: 'visitor-new', userId: 'user-ann' }));
    expect(await sessionIds()).toEqual(['new-device', 'shared-by-bob']);
    expect((await shop.session('new-device')).userId).toBeNull();
    expect((await shop.evaluate({ context: { sessionId: 'new-device' } })).status).toBe(200);
    // A session of an erased visitor that was not known at the time; another worker may take a moment.
    await setTimeout(workers === '1' ? 0 : 1500);
    await accepted(shop.increment({ goalId: 'signup', sessionId: 'late-session' }));
    expect(await shop.isUnknown('late-session')).toBe(true);
    const metrics = await shop.server.call('GET', '/metrics');
    expect(metrics.text).toMatch(/switchyard_events_dropped_total\{reason="suppressed"\} [1-9]/);
    // After a restart, too.
    await shop.server.stop();
    expect(found(['user-ann', 'late-goal', 'late-words', 'visitor-of-ann'])).toEqual([]);
    shop = await openShop({ dataDir: shop.server.dataDir, env: { WORKERS: workers } });
    await late();
    expect(await sessionIds()).toEqual(['new-device', 'shared-by-bob']);

    const lift = (...options: string[]) =>
      switchyard(shop.server, 'suppressions', 'lift', '--property', 'shop', ...options);
    expect(await lift('--visitor', 'visitor-of-ann')).toMatchObject({ code: 0 });
    expect(await lift('--visitor', 'visitor-of-ann')).toMatchObject({ code: 1 });
    await waitFor('the lifted visitor', async () => {
      await accepted(shop.collect({ sessionId: 'welcome-back', visitorId: 'visitor-of-ann' }));
      return (await sessionIds()).includes('welcome-back');
    });
  },
);

test('a restore from an older backup erases again what was erased since', async () => {
  await openWithAnn();
  scratch = mkdtempSync(join(tmpdir(), 'switchyard-suppressions-'));
  const backup = join(scratch, 'backup');
  expect(await switchyard(shop.server, 'backup', backup)).toMatchObject({ code: 0 });
  await erased('--user', 'user-ann');
  await erased('--metadata', 'mail=ann@example.com');
  const list = join(scratch, 'list.json');
  expect(await switchyard(shop.server, 'suppressions', 'export', '--out', list)).toMatchObject({ code: 0 });
  await shop.server.stop();
  const gone = ['user-ann', 'visitor-of-ann', 'said-by-ann', 'note-of-ann', 'ann@example.com'];
  expect(found(gone, backup)).toEqual(gone);
  expect(readFileSync(list, 'utf8')).not.toMatch(/ann/);

  for (const [name, suppressions] of [
    ['by-file', list],
    ['by-directory', shop.server.dataDir],
  ] as const) {
    const dataDir = join(scratch, name);
    const restored = await switchyardWith(
      { DATA_DIR: dataDir },
      'restore',
      backup,
      '--suppressions',
      suppressions,
      '--json',
    );
    expect(restored.code, restored.stderr).toBe(0);
    expect(JSON.parse(restored.stdout).erased).toBeGreaterThan(0);
    expect(found([...gone, 'user-bob'], dataDir)).toEqual(['user-bob']);
  }
  const broken = join(scratch, 'broken.json');
  writeFileSync(broken, '{}');
  const refused = await switchyardWith(
    { DATA_DIR: join(scratch, 'none') },
    'restore',
    backup,
    '--suppressions',
    broken,
  );
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/not a list of suppressions/) });

  // What arrives later is still suppressed.
  const again = await openShop({ dataDir: join(scratch, 'by-file') });
  try {
    await accepted(again.collect({ sessionId: 'later', visitorId: 'visitor-of-ann' }));
    expect(await again.isUnknown('later')).toBe(true);
    expect((await again.sessions()).sessions.map(({ sessionId }: Body) => sessionId)).toEqual([
      'shared-by-bob',
    ]);
  } finally {
    await again.server.stop();
  }
});
