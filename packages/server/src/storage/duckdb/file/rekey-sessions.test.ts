import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { murmur3 } from '@switchyard/core/evaluation/hash';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AcceptedRequest, JournalEntry } from '../../accepted-request.ts';
import {
  collect,
  entry,
  exposure,
  exposures,
  goal,
  splitTestQuery,
} from '../../contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import { openDuckDbEventStore } from '../duckdb-event-store.ts';

const T0 = Date.UTC(2026, 0, 5);
const PROPERTIES = ['shop', 'blog'];
const SESSIONS = ['s1', 's2', 's3', 'séance 😀', '\uFEFFmarked', 'server only'];

let directory: string;
const stores: EventStore[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchyard-rekey-'));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(directory, { recursive: true });
});

async function open(name: string): Promise<EventStore> {
  const store = await openDuckDbEventStore(join(directory, name));
  stores.push(store);
  return store;
}

test('a store of an earlier version returns the same results after the upgrade, and accepts new events', async () => {
  const before = PROPERTIES.flatMap((propertyId, index) => visits(propertyId, T0 + index));
  const entries = before.map((request, index) => ({ seq: index + 1, request }));
  await writeOldStore(join(directory, 'old.duckdb'), entries);
  const [migrated, fresh] = [await open('old.duckdb'), await open('fresh.duckdb')];
  await fresh.append(LOCAL_SOURCE, entries);
  expect(await migrated.watermark(LOCAL_SOURCE)).toBe(entries.length);
  expect(await allOf(migrated)).toEqual(await allOf(fresh));

  const later = PROPERTIES.flatMap((propertyId) => [
    ...visits(propertyId, T0 + 1000),
    collect({ propertyId, sessionId: 's1', visitorId: 'v3', receivedAt: T0 + 2000 }),
  ]).map((request, index) => ({ seq: entries.length + index + 1, request }));
  for (const store of [migrated, fresh]) await store.append(LOCAL_SOURCE, later);
  expect(await allOf(migrated)).toEqual(await allOf(fresh));
  for (const store of [migrated, fresh]) {
    expect(await store.forget([{ propertyId: 'shop', visitorId: 'v1' }])).toEqual([{ rows: 13 }]);
  }
  expect(await allOf(migrated)).toEqual(await allOf(fresh));
});

test('a failed upgrade leaves the store unchanged', async () => {
  const file = join(directory, 'old.duckdb');
  const [request] = visits('shop', T0);
  await writeOldStore(file, [{ seq: 1, request: request as AcceptedRequest }]);
  await inDatabase(file, async (run) => {
    await run('CREATE TABLE new_collects (in_the_way INTEGER)');
  });
  await expect(open('old.duckdb')).rejects.toThrow();
  await inDatabase(file, async (run) => {
    await run('DROP TABLE new_collects');
  });
  const store = await open('old.duckdb');
  expect((await store.sessionPage({ propertyId: 'shop', limit: 9 })).rows).toHaveLength(1);
});

test('a new store has the same tables as an upgraded one', async () => {
  await writeOldStore(join(directory, 'old.duckdb'), []);
  for (const name of ['old.duckdb', 'new.duckdb']) await (await open(name)).close();
  const [upgraded, created] = [await columnsOf('old.duckdb'), await columnsOf('new.duckdb')];
  expect(upgraded.length).toBeGreaterThan(50);
  expect(created).toEqual(upgraded);
});

async function columnsOf(name: string): Promise<unknown[]> {
  let columns: unknown[] = [];
  await inDatabase(join(directory, name), async (_run, rows) => {
    columns = await rows(
      `SELECT table_name, column_index, column_name, data_type, is_nullable, column_default FROM duckdb_columns()
       WHERE NOT internal ORDER BY table_name, column_index`,
    );
  });
  return columns;
}

/** Sessions with, without and with a changing visitor; no two events at the same time. */
function visits(propertyId: string, start: number): AcceptedRequest[] {
  let at = start;
  const next = () => {
    at += 10;
    return { propertyId, receivedAt: at };
  };
  const see = (sessionId: string) => exposures(propertyId, next().receivedAt, [exposure(sessionId, at)]);
  const visit = (sessionId: string, visitorId: string, userId?: string) =>
    collect({ ...next(), sessionId, visitorId, ...(userId !== undefined && { userId }) }, [
      { type: 'pageview', at, url: `/${sessionId}`, properties: '{"a":1}' },
    ]);
  return [
    visit('s1', 'v1', 'u1'),
    see('s1'),
    goal({ ...next(), sessionId: 's1', amountMicros: 5_000_000 }),
    visit('s2', 'v1'),
    see('s2'),
    see('s3'),
    visit('s3', 'v2'),
    visit('séance 😀', 'víctor', 'ünal'),
    see('séance 😀'),
    visit('\uFEFFmarked', '\uFEFFv'),
    entry({ ...next(), sessionId: 's2', id: `f-${start}`, message: 'fine', metadata: '{"b":"2"}' }),
    goal({ ...next(), sessionId: 'server only' }),
    goal(next()),
  ];
}

/** The results of all queries. */
async function allOf(store: EventStore): Promise<unknown> {
  const all = [];
  for (const propertyId of PROPERTIES) {
    const scope = { propertyId, goalId: 'signup', from: 0, to: T0 * 2 };
    const filters = [
      {},
      { visitorId: 'v1' },
      { visitorId: '\uFEFFv' },
      { userId: 'ünal' },
      { goalId: 'signup' },
    ];
    for (const filter of filters)
      all.push((await store.sessionPage({ propertyId, limit: 50, ...filter })).rows);
    for (const sessionId of SESSIONS) {
      const session = await store.session({ propertyId, sessionId, limit: 50 });
      all.push({ ...session, timeline: session?.timeline.rows });
      all.push(await store.sessionIdentity(propertyId, sessionId));
      all.push((await store.feedbackPage({ propertyId, sessionId, limit: 50 })).rows);
    }
    const counted = splitTestQuery({ propertyId, variationKeys: ['a', 'b'], goalIds: ['signup'] });
    all.push(await store.splitTestCounts(counted), await store.splitTestSeries(counted));
    all.push(await store.goalTotals(scope), await store.goalBaseline(scope));
  }
  return all;
}

/** Writes a file with version 2 of the schema, whose keys consisted of two 32-bit hashes. */
async function writeOldStore(file: string, entries: readonly JournalEntry[]): Promise<void> {
  const old = new OldStore();
  for (const { seq, request } of entries) old.add(seq, request);
  await inDatabase(file, async (run) => {
    for (const statement of OLD_SCHEMA) await run(statement);
    await run(`INSERT INTO store_state VALUES (${entries.at(-1)?.seq ?? 0}, ${old.salt}, 0)`);
    await run('INSERT INTO schema_version VALUES (2)');
    for (const [table, row] of old.rows) {
      await run(`INSERT INTO ${table} VALUES (${row.map(literal).join(', ')})`);
    }
  });
}

type Value = string | number | bigint | boolean | null | undefined;

function literal(value: Value): string {
  if (value === null || value === undefined) return 'NULL';
  // A leading byte order mark is stored twice, because the driver strips one.
  if (typeof value === 'string') return `'${value.replace(/^\uFEFF/, '\uFEFF\uFEFF').replaceAll("'", "''")}'`;
  return String(value);
}

async function inDatabase(
  file: string,
  work: (run: (sql: string) => Promise<unknown>, rows: (sql: string) => Promise<unknown[]>) => Promise<void>,
) {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await work(
    (sql) => connection.run(sql),
    async (sql) => (await connection.runAndReadAll(sql)).getRowsJson(),
  );
  connection.closeSync();
  instance.closeSync();
}

/** Creates rows as version 2 did. */
class OldStore {
  readonly salt = 0x0123_4567_89ab_cdefn;
  readonly rows: [string, Value[]][] = [];
  readonly #terms = new Map<string, number>();
  readonly #starts = new Map<bigint, number>();
  readonly #visitors = new Map<bigint, bigint>();

  add(seq: number, request: AcceptedRequest): void {
    const { propertyId, receivedAt } = request;
    const property = this.#term(propertyId);
    const session = (sessionId: string | undefined, at: number) => {
      if (sessionId === undefined) return null;
      const key = this.#key(propertyId, sessionId, 0);
      if (!this.#starts.has(key)) this.#add('sessions', property, key, sessionId, at);
      this.#starts.set(key, at);
      return key;
    };
    const unit = (key: bigint | null) => (key === null ? null : this.#visitors.get(key));
    if (request.kind === 'exposures') {
      for (const { splitTestKey, variationKey, sessionId, at } of request.exposures) {
        const key = session(sessionId, at);
        const shown = [this.#term(splitTestKey), this.#term(variationKey)];
        this.#add('exposures', property, key, ...shown, at, receivedAt, null, unit(key), null, false);
      }
    } else if (request.kind === 'conversion') {
      const key = session(request.sessionId, receivedAt);
      const { direction, amountMicros } = request;
      const values = [this.#term(request.goalId), direction, amountMicros, receivedAt, null, unit(key)];
      this.#add('conversions', property, key, ...values);
    } else if (request.kind === 'feedback') {
      const key = session(request.sessionId, receivedAt);
      const { sessionId, id, feedbackTypeId, option, message, metadata } = request;
      const texts = [option, message, metadata];
      this.#add('feedback', property, key, sessionId, id, this.#term(feedbackTypeId), ...texts, receivedAt);
    } else {
      const { sessionId, visitorId, userId, events } = request;
      const key = session(sessionId, events[0]?.at ?? receivedAt) as bigint;
      for (const { at, url, properties } of events) {
        this.#add('session_events', property, key, 0, at, null, url, null, null, properties);
      }
      const visitor = this.#key(propertyId, visitorId, 0x5bd1e995);
      this.#visitors.set(key, visitor);
      const user = userId === undefined ? null : this.#key(propertyId, userId, 0x2c1b3c6d);
      const identity = [visitor, visitorId, user, userId, null];
      const client = [0, ...[request.device, request.browser, request.os].map((text) => this.#term(text))];
      this.#add('collects', property, key, seq, receivedAt, receivedAt, ...identity, ...client, 2);
    }
  }

  #add(table: string, ...row: Value[]): void {
    this.rows.push([table, row]);
  }

  #term(text: string): number {
    const existing = this.#terms.get(text);
    if (existing !== undefined) return existing;
    const id = this.#terms.size + 1;
    this.#terms.set(text, id);
    this.#add('terms', id, text);
    return id;
  }

  #key(propertyId: string, id: string, kind: number): bigint {
    const half = (salt: bigint) => murmur3(id, murmur3(propertyId, Number(BigInt.asIntN(32, salt))) ^ kind);
    return BigInt.asIntN(64, (BigInt(half(this.salt >> 32n)) << 32n) | BigInt(half(this.salt)));
  }
}

const OLD_SCHEMA = [
  'CREATE TABLE schema_version (version INTEGER NOT NULL)',
  'CREATE TABLE store_state (watermark BIGINT NOT NULL, salt BIGINT NOT NULL, dead_rows BIGINT NOT NULL)',
  'CREATE TABLE terms (id INTEGER NOT NULL, text VARCHAR NOT NULL)',
  `CREATE TABLE sessions (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_id VARCHAR NOT NULL, started_at BIGINT NOT NULL)`,
  `CREATE TABLE exposures (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL, variation INTEGER NOT NULL,
     happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR, unit_key BIGINT, phase INTEGER,
     bot BOOLEAN DEFAULT false)`,
  `CREATE TABLE conversions (
     property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
     amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR, unit_key BIGINT)`,
  `CREATE TABLE feedback (
     property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
     feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL)`,
  `CREATE TABLE session_events (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL, happened_at BIGINT NOT NULL,
     name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR)`,
  `CREATE TABLE collects (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL, received_at BIGINT NOT NULL,
     seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL, user_key BIGINT,
     user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL,
     browser INTEGER NOT NULL, os INTEGER NOT NULL, names TINYINT DEFAULT 2)`,
];
