import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '@switchyard/core/time';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { storedTraces } from '@switchyard/testing/server/stored-traces';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ provision: SAMPLE });
});
afterEach(() => discard(server));

const restart = async () => {
  server = await startServer({ dataDir: server.dataDir });
};

const cli = (...args: string[]) => switchyard(args, { env: { DATA_DIR: server.dataDir } });

async function send(path: string, key: string, body: object): Promise<void> {
  const response = await server.send('POST', path, { key, body: { propertyId: 'shop', ...body } });
  expect(response.status, response.text).toBe(200);
}

const sessionIds = async () => {
  const { body } = await server.send('GET', '/v1/sessions?propertyId=shop', { key: SECRET_KEY });
  return body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId).sort();
};

/** Sends every kind of data about a visitor, in two sessions. */
async function visit(who: string): Promise<void> {
  for (const sessionId of [`session-of-${who}-1`, `session-of-${who}-2`]) {
    // Sent before the session is linked to the visitor, so that it must be found through the session.
    const exposure = {
      splitTestKey: 'hero',
      variationKey: 'b',
      sessionId,
      attributes: { note: `exposed-${who}` },
    };
    await send('/v1/split-testing/expose', PUBLIC_KEY, { exposures: [exposure] });
    await send('/v1/sessions/collect', PUBLIC_KEY, {
      sessionId,
      visitorId: `visitor-${who}`,
      userId: `user-${who}`,
      attributes: { plan: `plan-${who}` },
      events: [{ type: 'pageview', url: `https://shop.example/page-${who}`, title: `title-${who}` }],
    });
    await send('/v1/goals/increment', SECRET_KEY, {
      goalId: 'signup',
      sessionId,
      metadata: { note: `goal-${who}` },
    });
    await send('/v1/feedback/submit', SECRET_KEY, {
      feedbackTypeId: 'nps',
      sessionId,
      message: `message-of-${who}`,
    });
  }
}

const tracesOf = (who: string) =>
  ['visitor-', 'user-', 'session-of-', 'message-of-', 'exposed-', 'plan-', 'page-', 'title-', 'goal-'].map(
    (prefix) => prefix + who,
  );

/** Files of the data directory that contain traces of a visitor as raw bytes. */
const filesWithTraces = (who: string) => storedTraces(server.dataDir, tracesOf(who));

/** Files that other users of the machine can read. */
const filesReadableByOthers = () =>
  readdirSync(server.dataDir).filter(
    (name) => name !== 'provision.json' && (statSync(join(server.dataDir, name)).mode & 0o077) !== 0,
  );

describe('switchyard forget', () => {
  test.for(['running', 'stopped'] as const)(
    'with the server %s: erases all data of the visitor and keeps other visitors',
    async (state) => {
      await visit('alice-4711');
      await visit('bob-0815');
      // Some data is in the event store, some still in the journal: both must be clean afterwards.
      expect(await sessionIds()).toHaveLength(4);
      await send('/v1/feedback/submit', SECRET_KEY, {
        feedbackTypeId: 'nps',
        sessionId: 'session-of-alice-4711-1',
        message: 'message-of-alice-4711 again',
      });
      // Makes sure that the search works.
      expect(filesWithTraces('alice-4711')).not.toEqual([]);
      if (state === 'stopped') expect(await server.stop()).toBe(0);
      const forgotten = await cli('forget', '--property', 'shop', '--visitor', 'visitor-alice-4711');
      expect(forgotten.code, forgotten.output).toBe(0);
      expect(filesWithTraces('alice-4711')).toEqual([]);
      expect(filesReadableByOthers()).toEqual([]);
      if (state === 'stopped') await restart();

      expect(await sessionIds()).toEqual(['session-of-bob-0815-1', 'session-of-bob-0815-2']);
      const feedback = await server.send('GET', '/v1/feedback?propertyId=shop', { key: SECRET_KEY });
      expect(feedback.body.feedback.map(({ message }: { message: string }) => message)).toEqual([
        'message-of-bob-0815',
        'message-of-bob-0815',
      ]);
      const results = await server.send(
        'GET',
        '/v1/split-testing/results?propertyId=shop&splitTestKey=hero',
        { key: SECRET_KEY },
      );
      expect(results.body.variations.find(({ key }: { key: string }) => key === 'b')).toMatchObject({
        visitors: 1,
        exposures: 2,
      });
      // The server keeps working; then erase only one of the two sessions of Bob.
      await visit('carol-2342');
      expect(await sessionIds()).toHaveLength(4);
      const one = await cli('forget', '--property', 'shop', '--session', 'session-of-bob-0815-1');
      expect(one.code, one.output).toBe(0);
      expect(await sessionIds()).toEqual([
        'session-of-bob-0815-2',
        'session-of-carol-2342-1',
        'session-of-carol-2342-2',
      ]);
      expect(await server.stop()).toBe(0);
      expect(filesWithTraces('alice-4711')).toEqual([]);
    },
  );

  test('erases the visitor from the journal during concurrent writes', async () => {
    await visit('alice-4711');
    let stopped = false;
    const others = (async () => {
      for (let i = 0; !stopped; i++) await visit(`other-${i}`);
    })();
    try {
      const forgotten = await cli('forget', '--property', 'shop', '--visitor', 'visitor-alice-4711');
      expect(forgotten.code, forgotten.output).toBe(0);
      expect(filesWithTraces('alice-4711')).toEqual([]);
    } finally {
      stopped = true;
      await others;
    }
  });

  test('survives kill -9 right after the request', async () => {
    await visit('alice-4711');
    await visit('bob-0815');
    const forgetting = cli('forget', '--property', 'shop', '--visitor', 'visitor-alice-4711');
    // Killed while the request is pending, or after it was done if it was too fast to be seen: both must work.
    const requested = waitFor('the request', () =>
      filesWithTraces('alice-4711').some((trace) => trace.startsWith('config.db')),
    );
    await Promise.race([requested.catch(() => {}), forgetting]);
    await server.stop('SIGKILL');
    await forgetting;
    await restart();
    const again = await cli('forget', '--property', 'shop', '--visitor', 'visitor-alice-4711');
    expect(again.code, again.output).toBe(0);
    expect(await sessionIds()).toEqual(['session-of-bob-0815-1', 'session-of-bob-0815-2']);
    await waitFor('clean files', () => filesWithTraces('alice-4711').length === 0);
  });
});

describe('events older than retentionDays are deleted, newer ones are kept', () => {
  const provision = { properties: [{ id: 'shop', retentionDays: 1 }] };

  beforeEach(async () => {
    const now = Date.now();
    const expose = (sessionId: string, timestamp: number) =>
      send('/v1/split-testing/expose', PUBLIC_KEY, {
        exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId, timestamp }],
      });
    await expose('three-days-old', now - 71 * HOUR_MS);
    await expose('two-days-old', now - 48 * HOUR_MS);
    await expose('an-hour-old', now - HOUR_MS);
    expect(await sessionIds()).toHaveLength(3);
  });

  const expectOldDeleted = async () => {
    await waitFor('the deletion of old events', async () => (await sessionIds()).length === 1);
    expect(await sessionIds()).toEqual(['an-hour-old']);
  };

  test('soon after a start', async () => {
    await server.stop();
    server = await startServer({ dataDir: server.dataDir, provision });
    await expectOldDeleted();
  });

  test('soon after the setting changes', async () => {
    const file = join(server.dataDir, 'retention.json');
    writeFileSync(file, JSON.stringify(provision));
    expect((await cli('apply', file)).code).toBe(0);
    await expectOldDeleted();
  });
});
