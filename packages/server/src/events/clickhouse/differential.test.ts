import { randomUUID } from 'node:crypto';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openDuckDbEventStore } from '../duckdb/duckdb-event-store.ts';
import { agreeingStores, QUESTIONS, type Question } from '../store/contract/agreeing-stores.contract.ts';
import { askEverything, askWhatIsStored } from '../store/contract/ask-everything.contract.ts';
import { expectToAgree } from '../store/contract/expect-to-agree.contract.ts';
import { NaiveEventStore } from '../store/contract/naive-event-store.contract.ts';
import { type History, randomHistory, SOURCES } from '../store/contract/random-history.contract.ts';
import type { EventStore, Positions } from '../store/event-store.ts';
import { openClickHouseEventStore } from './clickhouse-event-store.ts';
import { ClickHouse } from './connection/clickhouse-client.ts';

const engine = inject('clickhouseUrl');
/**
 * By hand, with other and more histories: DIFFERENTIAL_SEED=1 DIFFERENTIAL_RUNS=20 npx vitest run differential
 * With DIFFERENTIAL_THOROUGH=1, every list is also read page by page with all filters, and compared with the naive
 * model; an emulated engine takes many minutes for that.
 */
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 20_261_117);
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 1);
const IS_THOROUGH = process.env.DIFFERENTIAL_THOROUGH === '1';

/** Long, because other tests may keep the machine busy. */
const pingTimeoutMs = 60_000;

describe.skipIf(engine === undefined)('ClickHouse next to DuckDB', () => {
  const databases: string[] = [];
  let clickhouse: ClickHouse;

  beforeAll(() => {
    clickhouse = new ClickHouse({ url: `${engine}`, pingTimeoutMs });
  });
  afterAll(async () => {
    for (const database of databases) await clickhouse.command(`DROP DATABASE IF EXISTS ${database}`);
    await clickhouse.close();
  });

  async function openBoth(asked: Set<Question>): Promise<EventStore> {
    const database = `test_${randomUUID().replaceAll('-', '')}`;
    databases.push(database);
    return agreeingStores(
      openClickHouseEventStore({ url: `${engine}/${database}`, pingTimeoutMs }),
      await openDuckDbEventStore(`${temporaryDirectory()}/events.duckdb`),
      asked,
    );
  }

  test(
    `both give the same answers about random events of three sources (seed ${SEED})`,
    async () => {
      const asked = new Set<Question>();
      const random = fc.asyncProperty(randomHistory, async (history) => {
        const store = await openBoth(asked);
        try {
          await compare(store, history);
        } finally {
          await store.close();
        }
      });
      await fc.assert(random, { seed: SEED, numRuns: RUNS, endOnFailure: true });
      expect(QUESTIONS.filter((name) => !asked.has(name))).toEqual([]);
    },
    RUNS * (IS_THOROUGH ? 6_000_000 : 600_000),
  );
});

async function compare(store: EventStore, { arrivals, subjects, expiry, choice }: History): Promise<void> {
  const model = new NaiveEventStore();
  const sessions = () => model.sessions('one').length + model.sessions('two').length;
  const sent = new Map<string, History['arrivals'][number]['entries']>();
  const snapshots: { positions: Positions; sessions: number }[] = [];
  for (const { source, entries, repeated } of arrivals) {
    const earlier = sent.get(source) ?? [];
    await store.append(source, [...earlier.slice(Math.max(0, earlier.length - repeated)), ...entries]);
    sent.set(source, [...earlier, ...entries]);
    for (const entry of entries) model.append(entry, source);
    const positions = { ...snapshots.at(-1)?.positions, [source]: entries.at(-1)!.seq };
    snapshots.push({ positions, sessions: sessions() });
  }
  // The start that later sessions have at these positions depends on the engine.
  const { positions } = snapshots.find((it) => it.sessions === sessions())!;
  const interest = { propertyId: choice % 2 === 0 ? 'one' : 'two', sources: SOURCES, positions, choice };
  await askEverything(store, interest);
  if (IS_THOROUGH) await expectToAgree(store, model, ['one', 'two'], 4);
  const erased = await store.forget(subjects);
  expect(erased).toEqual(subjects.map((it) => ({ rows: model.forget(it) })));
  expect(await store.expire('one', expiry)).toEqual({ rows: model.expire('one', expiry) });
  await askWhatIsStored(store, { ...interest, positions: await store.positions() });
  await store.sessionPage({ propertyId: 'one', limit: 1000 });
  if (IS_THOROUGH) await expectToAgree(store, model, ['one', 'two'], 4);
}
