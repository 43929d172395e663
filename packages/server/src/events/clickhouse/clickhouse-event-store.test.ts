import { randomUUID } from 'node:crypto';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@switchyard/core/time';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { AcceptedRequest } from '../store/accepted-request.ts';
import { T0 } from '../store/contract/random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from '../store/contract/sample-requests.contract.ts';
import { describeEventStore } from '../store/event-store.contract.ts';
import { ERASURES_SOURCE, type EventStore } from '../store/event-store.ts';
import { openClickHouseEventStore } from './clickhouse-event-store.ts';
import { ClickHouse } from './connection/clickhouse-client.ts';
import { deleteRows } from './deletion/delete-rows.ts';
import { SESSION_TABLES } from './schema/table-columns.ts';

const engine = inject('clickhouseUrl');

/** Long, because other tests may keep the machine busy. */
const TIMEOUTS = { pingTimeoutMs: 60_000, requestTimeoutMs: 600_000 };

const newDatabase = () => `test_${randomUUID().replaceAll('-', '')}`;

async function dropDatabase(name: string): Promise<void> {
  const clickhouse = new ClickHouse({ url: `${engine}`, ...TIMEOUTS });
  await clickhouse.command(`DROP DATABASE IF EXISTS ${name}`);
  await clickhouse.close();
}

describe.skipIf(engine === undefined)('ClickHouse event store', () => {
  describeEventStore(
    'contract',
    async () => {
      const database = newDatabase();
      const open = () => openClickHouseEventStore({ url: `${engine}/${database}`, ...TIMEOUTS });
      let store = open();
      return {
        store,
        async reopen() {
          await store.close();
          store = open();
          return store;
        },
        async cleanup() {
          await store.close();
          await dropDatabase(database);
        },
      };
    },
    { randomRuns: 1, keepsAnswers: false },
  );

  describe('behind a faulty network', () => {
    const database = newDatabase();
    let proxy: FaultyProxy;
    let store: EventStore;

    beforeAll(async () => {
      proxy = await FaultyProxy.start(engine as string);
      store = openClickHouseEventStore({ url: `${proxy.url}/${database}`, ...TIMEOUTS });
    });
    afterAll(async () => {
      await store.close();
      await proxy.stop();
      await dropDatabase(database);
    });

    test('opens while the server is unavailable, and creates the tables when it is back', async () => {
      proxy.fault = () => 'before';
      await expect(store.positions()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(store.append('node', [{ seq: 1, request: goalAt(0) }])).rejects.toThrow();
      proxy.fault = () => undefined;
      expect(await store.positions()).toEqual({});
    });

    test('a batch that is repeated after a failure is stored once', async () => {
      const entries = [
        goalAt(1),
        collect({ propertyId: 'shop', receivedAt: T0 + 2 }),
        entry({ propertyId: 'shop', receivedAt: T0 + 3 }),
      ].map((request, index) => ({ seq: index + 1, request }));
      const append = () => store.append('node', entries);
      // The server has stored the rows, but its answer does not arrive.
      proxy.fault = (statement) => (statement.includes('.collects') ? 'after' : undefined);
      await expect(append()).rejects.toThrow();
      proxy.fault = (statement) => (statement.includes('.watermarks (') ? 'before' : undefined);
      await expect(append()).rejects.toThrow();
      proxy.fault = () => undefined;
      expect(await store.positions()).toEqual({});
      await append();
      await append();
      expect(await store.positions()).toEqual({ node: 3 });
      expect((await store.checksums()).map(({ kind, count }) => [kind, count]).sort()).toEqual([
        ['collect', 1],
        ['conversion', 1],
        ['feedback', 1],
      ]);
    });

    test('a batch that is repeated after a timeout is stored once', async () => {
      const impatient = openClickHouseEventStore({
        url: `${proxy.url}/${database}`,
        pingTimeoutMs: TIMEOUTS.pingTimeoutMs,
        requestTimeoutMs: 2000,
      });
      const request = goal({ propertyId: 'slow', receivedAt: T0 });
      const isAppended = () =>
        impatient.append('slow', [{ seq: 1, request }]).then(
          () => true,
          () => false,
        );
      let inserts = 0;
      proxy.fault = (statement) => {
        if (!statement.includes('.conversions')) return undefined;
        inserts += 1;
        return 'no answer';
      };
      // On a busy machine, an earlier statement may take too long.
      await expect.poll(async () => [await isAppended(), inserts > 0]).toEqual([false, true]);
      proxy.fault = () => undefined;
      await expect.poll(isAppended).toBe(true);
      const period = { from: 0, to: Number.MAX_SAFE_INTEGER };
      expect(await store.goalTotals({ propertyId: 'slow', goalId: 'signup', ...period })).toMatchObject({
        increments: 1,
      });
      await impatient.close();
    });

    test('an old batch is stored once, although the server has forgotten its tokens', async () => {
      const requests = [
        goalAt(1),
        collect({ propertyId: 'old', receivedAt: T0 + 2 }),
        entry({ propertyId: 'old', receivedAt: T0 + 3 }),
        // Two months, two sessions.
        exposures('old', T0 + 4, [exposure('a', T0 + 4), exposure('b', T0 - 70 * DAY_MS)]),
        goal({ propertyId: 'old', receivedAt: T0 + 5, sessionId: 'c' }),
      ];
      const entries = requests.map((request, index) => ({ seq: index + 1, request }));
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      // In the table of ids, equal rows become one later.
      const tables = SESSION_TABLES.filter((table) => table !== 'event_ids');
      const counts = () =>
        Promise.all(
          tables.map(async (table) => {
            const sql = `SELECT count() FROM ${clickhouse.tables.of(table)} WHERE source = 'old'`;
            return Number((await clickhouse.rows<[string]>(sql))[0]![0]);
          }),
        );
      // Other boundaries are other tokens. The last month of exposures and the last conversion are missing.
      proxy.fault = (statement) => (statement.includes('.watermarks (') ? 'before' : undefined);
      await expect(store.append('old', entries.slice(0, 4))).rejects.toThrow();
      proxy.fault = () => undefined;
      const old = "source = 'old' AND session_id = 'b'";
      await clickhouse.command(
        `ALTER TABLE ${clickhouse.tables.of('exposures')} DELETE WHERE ${old}`,
        {},
        { mutations_sync: '2' },
      );
      await store.append('old', entries, true);
      expect(await counts()).toEqual([2, 2, 1, 1, 0, 4, 1]);
      await clickhouse.close();
      expect(await store.positions()).toMatchObject({ old: 5 });
    });

    test('recent events that arrive through several journals are marked, each once', async () => {
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      const receivedAt = Date.now();
      const conversion = (id: string, delay: number) =>
        goal({ propertyId: 'repeated', receivedAt: receivedAt + delay, eventId: id.repeat(32) });
      const answer = entry({ propertyId: 'repeated', receivedAt, id: 'fbk_same' });
      const append = (source: string, seq: number, requests: AcceptedRequest[]) =>
        store.append(
          source,
          requests.map((request, index) => ({ seq: seq + index, request })),
        );
      await append('first', 1, [conversion('a', 0), conversion('b', 0), answer]);
      await append('second', 1, [conversion('a', 1), answer]);
      await append('third', 1, [conversion('a', -1)]);
      // Other events do not mark those again.
      await append('second', 3, [conversion('c', 2)]);
      await append('third', 2, [conversion('c', 3)]);
      // The first event was marked by two batches; merging leaves one row for each.
      await clickhouse.command(`OPTIMIZE TABLE ${clickhouse.tables.of('repeated_events')} FINAL`);
      const marked = await clickhouse.rows(
        `SELECT source, seq FROM ${clickhouse.tables.of('repeated_events')}
         WHERE property = 'repeated' ORDER BY source, seq`,
      );
      expect(marked).toEqual([
        ['first', '1'],
        ['second', '1'],
        ['second', '2'],
        ['third', '2'],
      ]);
      const period = { from: 0, to: Number.MAX_SAFE_INTEGER };
      const query = { propertyId: 'repeated', goalId: 'signup', ...period };
      expect(await store.goalTotals(query)).toMatchObject({ increments: 3 });
      await clickhouse.close();
    });

    test('the window of recognized inserts follows the number of nodes', async () => {
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      const windows = async () => {
        const rows = await clickhouse.rows<[string]>(
          `SELECT DISTINCT extract(create_table_query, 'deduplication_window = ([0-9]+)') FROM system.tables
           WHERE database = {database:String}`,
          { database },
        );
        return rows.flat();
      };
      // Creates the tables, if this is the first test.
      await store.positions();
      const sources = Array.from({ length: 3 }, (_, index) => [`follow-${index}`, 1]);
      await clickhouse.insert('watermarks', ['source', 'seq'], sources as [string, number][], 'follow');
      const newNode = openClickHouseEventStore({ url: `${engine}/${database}`, ...TIMEOUTS });
      await newNode.append('follow-3', [{ seq: 1, request: goalAt(1) }]);
      // Sources of other tests are there too. Only limited by the timeout of the test, because of emulated engines.
      const isLarger = async () => {
        const [window, ...others] = await windows();
        return others.length === 0 && Number(window) >= 40_000;
      };
      while (!(await isLarger())) await sleep(200);
      await newNode.close();
      await clickhouse.close();
    });

    test('a read that exceeds a limit is too large', async () => {
      const limited = new ClickHouse({ url: `${engine}`, ...TIMEOUTS, maxMemoryBytes: 32 * 1024 ** 2 });
      const tooLarge = { code: 'QUERY_TOO_LARGE' };
      await expect(
        limited.rows('SELECT length(groupArray(number)) FROM numbers(20000000)'),
      ).rejects.toMatchObject(tooLarge);
      await expect(
        limited.rows('SELECT sum(sipHash64(number)) FROM numbers(1000000000000)', {}, undefined, {
          max_execution_time: 1,
        }),
      ).rejects.toMatchObject(tooLarge);
      await limited.close();
    });

    test('a read of a server that falls silent fails', async () => {
      const impatient = openClickHouseEventStore({
        url: `${proxy.url}/${database}`,
        pingTimeoutMs: 1000,
        requestTimeoutMs: TIMEOUTS.requestTimeoutMs,
      });
      await expect.poll(() => impatient.positions().catch(() => undefined)).toBeDefined();
      let isSilent = false;
      // It answers pings until the read arrives.
      proxy.fault = (_, path) => {
        isSilent ||= path !== '/ping';
        return isSilent ? 'silence' : undefined;
      };
      await expect(impatient.positions()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      proxy.fault = () => undefined;
      await impatient.close();
    });

    test('an erasure is noticed by other nodes', async () => {
      const before = await store.positions();
      expect(await store.forget([{ propertyId: 'shop', visitorId: 'nobody' }])).toEqual([{ rows: 0 }]);
      expect(await store.positions()).toEqual(before);
      await store.forget([{ propertyId: 'shop', visitorId: 'v' }]);
      expect(await store.positions()).toEqual({ ...before, [ERASURES_SOURCE]: expect.any(Number) });
    });

    test('the retention of each property becomes a rule of the tables, and keeps all other events', async () => {
      await store.setRetention(
        new Map([
          ["it's", 30],
          ['third', 7],
        ]),
      );
      await store.setRetention(new Map([['other', 30]]));
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      const rules = async () => {
        const rows = await clickhouse.rows<[string]>(
          "SELECT create_table_query FROM system.tables WHERE database = {d:String} AND name = 'conversions'",
          { d: database },
        );
        return rows[0]![0].match(/toIntervalDay\(\d+\) WHERE property IN \([^)]*\)|TTL/g) ?? [];
      };
      expect((await rules()).sort()).toEqual([
        'TTL',
        `toIntervalDay(30) WHERE property IN ('it\\'s', 'other')`,
        `toIntervalDay(7) WHERE property IN ('third')`,
      ]);
      const old = (propertyId: string, seq: number) => ({
        seq,
        request: goal({ propertyId, receivedAt: Date.now() - 10 * DAY_MS }),
      });
      await store.append('node', [old('third', 10), old('other', 11)]);
      await clickhouse.command(`OPTIMIZE TABLE ${clickhouse.tables.of('conversions')} FINAL`);
      const kept = async (propertyId: string) =>
        (await store.goalTotals({ propertyId, goalId: 'signup', from: 0, to: Date.now() })).increments;
      expect([await kept('third'), await kept('other')]).toEqual([0, 1]);
      await store.setRetention(
        new Map([
          ["it's", 0],
          ['other', 0],
          ['third', 0],
        ]),
      );
      expect(await rules()).toEqual([]);
      await clickhouse.close();
    });

    test('collects of sessions whose other rows were deleted by a rule expire too', async () => {
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      const at = Date.now() - 10 * DAY_MS;
      await store.append('node', [
        { seq: 20, request: collect({ propertyId: 'quiet', sessionId: 'old', receivedAt: at }) },
        { seq: 21, request: collect({ propertyId: 'quiet', sessionId: 'new', receivedAt: Date.now() }) },
      ]);
      for (const table of ['session_events', 'session_starts'] as const) {
        const where = "property = 'quiet' AND session_id = 'old'";
        await deleteRows(clickhouse, table, where, {});
      }
      await store.expire('quiet', Date.now() - 7 * DAY_MS);
      const rows = await clickhouse.rows<[string]>(
        `SELECT session_id FROM ${clickhouse.tables.of('collects')} WHERE property = 'quiet'`,
      );
      expect(rows).toEqual([['new']]);
      await clickhouse.close();
    });

    test('no table has rows of expired events or of a deleted property, and no rule names it', async () => {
      const clickhouse = new ClickHouse({ url: `${engine}/${database}`, ...TIMEOUTS });
      const visit = (propertyId: string, seq: number, at: number) => [
        { seq, request: collect({ propertyId, sessionId: `s${seq}`, receivedAt: at }) },
        { seq: seq + 1, request: entry({ propertyId, id: `f${seq}`, sessionId: `s${seq}`, receivedAt: at }) },
      ];
      const old = Date.now() - 10 * DAY_MS;
      await store.setRetention(new Map([['closed', 90]]));
      await store.append('node', [...visit('aged', 30, old), ...visit('closed', 32, Date.now())]);
      await store.expire('aged', Date.now() - 7 * DAY_MS);
      expect(await store.forget([{ propertyId: 'closed', everything: true }])).toEqual([{ rows: 2 }]);
      const named = "property IN ('aged', 'closed')";
      const counts = [...SESSION_TABLES, 'retentions' as const].map(
        (table) => `SELECT '${table}' FROM ${clickhouse.tables.of(table)} WHERE ${named}`,
      );
      expect(await clickhouse.rows(counts.join(' UNION ALL '))).toEqual([]);
      const rules = await clickhouse.rows(
        "SELECT name FROM system.tables WHERE database = {d:String} AND position(create_table_query, 'closed') > 0",
        { d: database },
      );
      expect(rules).toEqual([]);
      await clickhouse.close();
    });

    test('files cannot be copied', async () => {
      await expect(store.holdFiles()).rejects.toThrow('backup tools of ClickHouse');
    });
  });
});

const goalAt = (at: number) => goal({ propertyId: 'shop', receivedAt: T0 + at });

type Fault = 'before' | 'after' | 'no answer' | 'silence';

/**
 * Forwards requests; answers some with an error, either instead of the server or after it has run the statement. With
 * `no answer` the server runs it too, with `silence` it does not.
 */
class FaultyProxy {
  fault: (statement: string, path: string) => Fault | undefined = () => undefined;
  readonly #server: Server;

  private constructor(engine: string) {
    this.#server = createServer((incoming, outgoing) => {
      const url = new URL(incoming.url ?? '/', engine);
      const fault = this.fault(url.searchParams.get('query') ?? '', url.pathname);
      if (fault === 'silence') return;
      const fail = () => outgoing.writeHead(500).end('A fault of the network.');
      if (fault === 'before') {
        incoming.resume();
        fail();
        return;
      }
      const { method, headers } = incoming;
      const onward = forward(url, { method, headers }, (answer) => {
        if (fault !== undefined) {
          answer.resume().on('end', fault === 'after' ? fail : () => {});
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', (error) => outgoing.destroy(error));
      incoming.pipe(onward);
    });
  }

  static async start(engine: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(engine);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
