import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AcceptedConversion, AcceptedRequest, JournalEntry } from '../store/accepted-request.ts';
import { exposure, exposures, splitTestQuery } from '../store/contract/sample-requests.contract.ts';
import { seenOf } from '../store/contract/split-tests/seen-of.contract.ts';
import { describeEventStore } from '../store/event-store.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../store/event-store.ts';
import { openDuckDbEventStore } from './duckdb-event-store.ts';

const T0 = Date.UTC(2025, 10, 12);
/** For child processes, which cannot run TypeScript. */
const BUILT_STORE = new URL('../../../dist/duckdb-event-store.cjs', import.meta.url).href;
const newDirectory = () => mkdtemp(join(tmpdir(), 'switchyard-duckdb-'));

describeEventStore('DuckDB', async () => {
  const directory = await newDirectory();
  const file = join(directory, 'events.duckdb');
  // A small limit, so that queries about the few visitors of random histories run in two parts.
  const options = { maxVisitors: 4, maxMetricVisitors: 4 };
  let store: EventStore = await openDuckDbEventStore(file, options);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openDuckDbEventStore(file, options);
      return store;
    },
    async cleanup() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});

describe('the DuckDB file', () => {
  let directory: string;
  let file: string;
  let store: EventStore | undefined;
  const open = async () => {
    store = await openDuckDbEventStore(file);
    return store;
  };

  beforeEach(async () => {
    directory = await newDirectory();
    file = join(directory, 'events.duckdb');
  });
  afterEach(async () => {
    await store?.close();
    store = undefined;
    await rm(directory, { recursive: true });
  });

  test('can be opened by one process only', async () => {
    const script = `import { DuckDBInstance } from '@duckdb/node-api';
      await DuckDBInstance.create(process.argv[1]); console.log('open'); process.stdin.resume();`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script, file], {
      cwd: import.meta.dirname,
    });
    await once(other.stdout, 'data');
    await expect(open()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    other.kill('SIGKILL');
    await once(other, 'exit');
    await (await open()).ping();
  });

  test('stays locked while a rewrite swaps the file', async () => {
    const it = await open();
    const script = `import { openDuckDbEventStore } from ${JSON.stringify(BUILT_STORE)};
      for (console.log('trying'); ; ) {
        const store = await openDuckDbEventStore(process.argv[1]).catch((error) => {
          if (error.code !== 'STORE_LOCKED') console.log(error);
        });
        if (store) console.log('opened');
        await store?.close();
        await new Promise((resolve) => setImmediate(resolve));
      }`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script, file]);
    const output: string[] = [];
    other.stdout.on('data', (data) => output.push(String(data)));
    await once(other.stdout, 'data');
    for (let round = 1; round <= 12; round++) {
      await it.append(LOCAL_SOURCE, [{ seq: round, request: exposed(`session-${round}`) }]);
      await it.forget([{ propertyId: 'shop', sessionId: `session-${round}` }]);
    }
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(output.join('')).toBe('trying\n');
    await it.ping();
  });

  test('resolves visitors of very many sessions that got their visitor late', async () => {
    const it = await open();
    const sessions = Array.from({ length: 20_100 }, (_, index) => `s${index}`);
    await it.append(LOCAL_SOURCE, journal(...sessions.map((id) => exposed(id))));
    await it.append(
      LOCAL_SOURCE,
      sessions.map((id, index) => ({ seq: 30_000 + index, request: collect(id, `v${index % 100}`) })),
    );
    expect(await seenOf(it, 'shop', 'hero')).toEqual([
      { variationKey: 'a', exposures: 20_100, visitors: 100 },
    ]);
  });

  test('a collect whose events have expired has a session before any other event of it is stored', async () => {
    const expired = { ...collect('s1', 'v1'), expired: true } as AcceptedRequest;
    const list = async () => (await store!.sessionPage({ propertyId: 'shop', limit: 9 })).rows;
    await (await open()).append(LOCAL_SOURCE, [{ seq: 1, request: expired }]);
    expect(await list()).toEqual([]);
    expect(await store!.session({ propertyId: 'shop', sessionId: 's1', limit: 9 })).toBeUndefined();
    await store!.close();
    await (await open()).append(LOCAL_SOURCE, [
      { seq: 2, request: exposures('shop', T0 + 20, [exposure('s1', T0 + 10)]) },
    ]);
    expect(await list()).toMatchObject([{ sessionId: 's1', visitorId: 'v1', startedAt: T0 + 10 }]);
    const counts = await store!.splitTestCounts(splitTestQuery({ propertyId: 'shop' }));
    expect(counts.groups).toMatchObject([{ variationKey: 'a', visitors: 1 }]);
  });

  test('a session that expired and comes back is a new one', async () => {
    const seen = (seq: number, sessionId: string, at: number) => ({
      seq,
      request: exposures('shop', at, [exposure(sessionId, at)]),
    });
    await (await open()).append(LOCAL_SOURCE, [seen(1, 's1', T0), seen(2, 's2', T0 + 50)]);
    await store!.expire('shop', T0 + 10);
    expect(await store!.session({ propertyId: 'shop', sessionId: 's1', limit: 9 })).toBeUndefined();
    await store!.append(LOCAL_SOURCE, [
      seen(3, 's1', T0 + 60),
      seen(4, 's2', T0 + 70),
      seen(5, 's3', T0 + 80),
    ]);
    const { rows } = await store!.sessionPage({ propertyId: 'shop', limit: 9 });
    expect(rows.map(({ sessionId, startedAt }) => [sessionId, startedAt - T0])).toEqual([
      ['s3', 80],
      ['s1', 60],
      ['s2', 50],
    ]);
    const timeline = async (sessionId: string) =>
      (await store!.session({ propertyId: 'shop', sessionId, limit: 9 }))?.timeline.rows.map(
        ({ at }) => at - T0,
      );
    expect([await timeline('s1'), await timeline('s2'), await timeline('s3')]).toEqual([
      [60],
      [50, 70],
      [80],
    ]);
  });

  test('caps values at a quantile over all variations, and sums amounts that overflow integers', async () => {
    const it = await open();
    const spend = (sessionId: string, amountMicros: number): AcceptedRequest => ({
      ...goal(),
      receivedAt: T0 + 100,
      sessionId,
      amountMicros,
    });
    const amounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((dollars) => dollars * 1_000_000);
    await it.append(
      LOCAL_SOURCE,
      journal(...amounts.flatMap((amount, index) => [exposed(`s${index}`), spend(`s${index}`, amount)])),
    );
    const query = splitTestQuery({ propertyId: 'shop', goalIds: ['signup'] });
    const amountOf = async (winsorize?: number) => {
      const { groups } = await it.splitTestCounts({
        ...query,
        ...(winsorize === undefined ? {} : { winsorize }),
      });
      return groups[0]!.goals[0]!.amount;
    };
    expect(await amountOf()).toMatchObject({ sum: 145, sumSquares: 285 + 10_000 });
    expect(await amountOf(0.9)).toMatchObject({ sum: 54, sumSquares: 285 + 81 });
    const huge = Number.MAX_SAFE_INTEGER;
    const rich = Array.from({ length: 40_000 }, () => spend('s0', huge));
    await it.append(
      LOCAL_SOURCE,
      rich.map((request, index) => ({ seq: 1000 + index, request })),
    );
    const { sum, sumSquares } = await amountOf();
    expect(sum / (40_000 * (huge / 1e6))).toBeCloseTo(1, 9);
    expect(sumSquares / sum ** 2).toBeCloseTo(1, 9);
    const { goals } = await it.splitTestSeries(query);
    expect(goals.reduce((total, { amount }) => total + amount.sum, 0) / sum).toBeCloseTo(1, 9);
  });

  test('cancels queries, and runs the next one', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(exposed('first'), exposed('second')));
    const query = splitTestQuery({ propertyId: 'shop' });
    const controller = new AbortController();
    const queries = Array.from({ length: 20 }, () => it.splitTestCounts(query, controller.signal));
    controller.abort();
    const outcomes = await Promise.allSettled(queries);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    const { groups } = await it.splitTestCounts(query, new AbortController().signal);
    expect(groups).toMatchObject([{ visitors: 2 }]);
  });

  test('answers the next queries, wherever those before were cancelled', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(exposed('first'), exposed('second')));
    const question = { goalId: 'signup', from: 0, to: Date.now() };
    for (let attempt = 0; attempt < 400; attempt++) {
      const controller = new AbortController();
      // Of a property without events: all that runs are the statements that begin and end the transaction.
      const cancelled = it.goalBaseline({ ...question, propertyId: 'new' }, controller.signal);
      const outcome = cancelled.then(
        () => undefined,
        ({ message }: Error) => message,
      );
      for (let turn = 0; turn < attempt % 25; turn++) await nextTurn();
      controller.abort();
      expect([undefined, 'This operation was aborted', 'INTERRUPT Error: Interrupted!']).toContain(
        await outcome,
      );
    }
    // More than there are connections.
    const later = Array.from({ length: 8 }, () => it.goalBaseline({ ...question, propertyId: 'shop' }));
    expect(await Promise.all(later)).toMatchObject(later.map(() => ({ visitors: 2 })));
  });

  test('cancels counting ahead; a request that waits for it counts itself', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(exposed('first'), exposed('second')));
    const query = splitTestQuery({ propertyId: 'shop' });
    const controller = new AbortController();
    const ahead = it.countAhead(query, controller.signal);
    await nextTurn();
    const counted = it.splitTestCounts(query);
    controller.abort();
    await expect(ahead).rejects.toThrow(/abort|interrupt/i);
    expect(await counted).toMatchObject({ groups: [{ visitors: 2 }] });
  });

  test.each([99, 0])('rejects schema %i, which it does not know, and stays closed', async (version) => {
    await (await open()).close();
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    await connection.run(`UPDATE schema_version SET version = ${version}`);
    connection.closeSync();
    instance.closeSync();
    await expect(open()).rejects.toMatchObject({ code: 'UNKNOWN_SCHEMA' });
    await expect(store?.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('rolls back a failed batch, and accepts it once it is fixed', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(exposed('first')));
    // Enough rows that some are already in the transaction when the invalid one fails.
    const many = Array.from({ length: 4000 }, (_, index) =>
      exposed(`s${index}`, index % 2 === 0 ? 'new test' : 'hero'),
    );
    const broken: AcceptedRequest = { ...goal(), amountMicros: 0.5 };
    await expect(
      it.append(LOCAL_SOURCE, journal(exposed('first'), ...many, broken, exposed('last'))),
    ).rejects.toThrow();
    expect(await it.watermark(LOCAL_SOURCE)).toBe(1);
    expect(await seenOf(it, 'shop', 'new test')).toEqual([]);
    expect(await it.session({ propertyId: 'shop', sessionId: 's1', limit: 9 })).toBeUndefined();
    expect((await it.sessionPage({ propertyId: 'shop', limit: 500 })).rows).toHaveLength(1);
    await it.append(LOCAL_SOURCE, journal(exposed('first'), ...many, goal(), exposed('last')));
    await it.close();
    const again = await open();
    expect(await again.watermark(LOCAL_SOURCE)).toBe(4003);
    expect(await seenOf(again, 'shop', 'new test')).toMatchObject([{ exposures: 2000, visitors: 2000 }]);
    expect(await seenOf(again, 'shop', 'hero')).toMatchObject([{ exposures: 2002, visitors: 2002 }]);
  });

  test('contains no trace of forgotten visitors', async () => {
    const secrets = [
      'visitor-5eb63bbbe01eeed093cb22bb',
      'session-8f5acdc3d0f2b6f1a7e7d9a0',
      'message-c0ffee00',
    ];
    const [visitorId = '', sessionId = '', message = ''] = secrets;
    const shared = { propertyId: 'shop', sessionId };
    const found = async () => {
      const bytes = await Promise.all(
        (await readdir(directory)).map((name) => readFile(join(directory, name))),
      );
      return secrets.filter((secret) => bytes.some((content) => content.includes(secret)));
    };
    const requests = [
      collect(sessionId, visitorId),
      { ...goal(), ...shared, metadata: JSON.stringify({ message }) },
      { kind: 'feedback', ...shared, receivedAt: T0, id: 'f', feedbackTypeId: 'nps', message } as const,
      ...Array.from({ length: 50 }, (_, index) => collect(`other-${index}`, 'somebody')),
    ];
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(...requests));
    expect(await found()).toEqual(secrets);
    expect(await it.forget([{ propertyId: 'shop', visitorId }])).toEqual([{ rows: 3 }]);
    expect(await found()).toEqual([]);
    await it.append(LOCAL_SOURCE, journal(...requests, collect('late', 'somebody')));
    await it.close();
    expect(await found()).toEqual([]);
    expect((await (await open()).sessionPage({ propertyId: 'shop', limit: 500 })).rows).toHaveLength(51);
  });

  test('contains no trace of data that expired before its visitor was forgotten', async () => {
    const secret = 'visitor-2cf24dba5fb0a30e26e83b2a';
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(collect('old', secret), exposed('kept')));
    await it.close();
    // Now the data is in the blocks of the file, not only in its log.
    const again = await open();
    await again.expire('shop', T0 + 1);
    expect(await again.forget([{ propertyId: 'shop', visitorId: secret }])).toEqual([{ rows: 0 }]);
    await again.close();
    for (const name of await readdir(directory)) {
      expect((await readFile(join(directory, name))).includes(secret)).toBe(false);
    }
  });

  test('is intact wherever a rewrite is interrupted', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(collect('mine', 'me'), collect('yours', 'you')));
    const live = await snapshot('live', ['events.duckdb', 'events.duckdb.wal']);
    await it.close();
    const before = await snapshot('before', ['events.duckdb']);
    await (await open()).forget([{ propertyId: 'shop', visitorId: 'me' }]);
    await store?.close();
    const after = file;

    // Interrupted while copying: the old file with its log, and a part of the new file.
    await writeFile(join(live, 'events.duckdb.rewrite'), (await readFile(after)).subarray(0, 20_000));
    await writeFile(join(live, 'events.duckdb.rewrite.wal'), 'half a log');
    await mkdir(join(live, 'events.duckdb.tmp'));
    await writeFile(join(live, 'events.duckdb.tmp', 'duckdb_temp_storage_DEFAULT-0.tmp'), 'spilled');
    // Interrupted after closing both files, before the rename.
    await copyFile(after, join(before, 'events.duckdb.rewrite'));

    for (const [folder, sessions] of [
      [live, 2],
      [before, 2],
      [directory, 1],
    ] as const) {
      file = join(folder, 'events.duckdb');
      const opened = await open();
      expect(
        (await readdir(folder, { recursive: true })).filter((name) => /rewrite|temp_/.test(name)),
      ).toEqual([]);
      expect((await opened.sessionPage({ propertyId: 'shop', limit: 9 })).rows).toHaveLength(sessions);
      await opened.forget([{ propertyId: 'shop', visitorId: 'me' }]);
      expect((await opened.sessionPage({ propertyId: 'shop', limit: 9 })).rows).toHaveLength(1);
      await opened.close();
      expect(
        (await readdir(folder, { recursive: true })).filter((name) => /rewrite|wal|temp_/.test(name)),
      ).toEqual([]);
    }
  });

  test('stays unchanged when a rewrite fails', async () => {
    const it = await open();
    await it.append(LOCAL_SOURCE, journal(collect('mine', 'me'), collect('yours', 'you')));
    await mkdir(`${file}.rewrite`);
    await expect(it.forget([{ propertyId: 'shop', visitorId: 'me' }])).rejects.toThrow();
    expect((await it.sessionPage({ propertyId: 'shop', limit: 9 })).rows).toHaveLength(2);
    await rmdir(`${file}.rewrite`);
    expect(await it.forget([{ propertyId: 'shop', visitorId: 'me' }])).toEqual([{ rows: 1 }]);
    await it.append(LOCAL_SOURCE, [{ seq: 3, request: exposed('another') }]);
    expect((await it.sessionPage({ propertyId: 'shop', limit: 9 })).rows).toHaveLength(2);
  });

  test('shrinks when most of its data has expired', async () => {
    const it = await open();
    const entries = Array.from({ length: 15_000 }, (_, index): AcceptedRequest => {
      const id = `f${index}`;
      return {
        kind: 'feedback',
        propertyId: 'shop',
        receivedAt: T0 + index,
        id,
        feedbackTypeId: 'nps',
        message: randomBytes(750).toString('base64'),
      };
    });
    await it.append(LOCAL_SOURCE, journal(...entries));
    await it.close();
    const full = (await stat(file)).size;
    const again = await open();
    expect(await again.expire('shop', T0 + 14_000)).toEqual({ rows: 14_000 });
    expect((await again.feedbackPage({ propertyId: 'shop', limit: 500 })).rows).toHaveLength(500);
    await again.close();
    expect((await stat(file)).size).toBeLessThan(full / 3);
  });

  async function snapshot(name: string, files: string[]): Promise<string> {
    const folder = join(directory, name);
    await mkdir(folder);
    for (const each of files) await copyFile(join(directory, each), join(folder, each));
    return folder;
  }
});

function journal(...requests: AcceptedRequest[]): JournalEntry[] {
  return requests.map((request, index) => ({ seq: index + 1, request }));
}

function exposed(sessionId: string, splitTestKey = 'hero'): AcceptedRequest {
  const seen = { splitTestKey, variationKey: 'a', sessionId, at: T0 + 5 };
  return { kind: 'exposures', propertyId: 'shop', receivedAt: T0 + 5, exposures: [seen] };
}

function collect(sessionId: string, visitorId: string): AcceptedRequest {
  const client = { device: 'desktop', browser: 'Firefox', os: 'Linux' };
  return { kind: 'collect', propertyId: 'shop', sessionId, visitorId, receivedAt: T0, ...client, events: [] };
}

function goal(): AcceptedConversion {
  return {
    kind: 'conversion',
    propertyId: 'shop',
    goalId: 'signup',
    direction: 1,
    amountMicros: 0,
    receivedAt: T0,
  };
}
