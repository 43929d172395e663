import { join } from 'node:path';
import type { AaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import { DAY_MS } from '@switchyard/core/time';
import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { collect } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { listRounds, listVerdicts, saveVerdict } from './aa-verdict-store.ts';
import { DailyAaTest, type DailyAaTestOptions } from './daily-aa-test.ts';

describe.each(engines())('$name', (engine) => {
  /** The first day of a round, shortly after midnight. */
  const ROUND = 730;
  const START = ROUND * 28 * DAY_MS;
  const SOUND: AaVerdict = {
    verdict: 'sound',
    words: 'Sound.',
    visitors: [51, 49],
    splitPValue: 0.84,
    goals: [{ goalId: 'signup', pValue: null }],
  };

  let configuration: MemoryConfiguration;
  let store: EventStore;
  let property: PropertyConfiguration;
  let logged: { level: number; msg: string }[];
  let evaluations: number[];
  let released: number;
  let next: AaVerdict | Error;

  beforeEach(async () => {
    configuration = await openMemoryConfiguration(engine);
    await configuration.apply({});
    property = (await configuration.property())!;
    store = await openDuckDbEventStore(join(temporaryDirectory(), 'events.duckdb'));
    [logged, evaluations, released, next] = [[], [], 0, SOUND];
    await visitAt(START + 1000);
  });
  afterEach(async () => {
    await store.close();
    await configuration.handle.close();
  });

  let seq = 0;
  const visitAt = (receivedAt: number, propertyId = 'shop') => {
    const sessionId = `s${++seq}`;
    return store.append(LOCAL_SOURCE, [{ seq, request: collect({ propertyId, sessionId, receivedAt }) }]);
  };

  const startTest = (options: Partial<DailyAaTestOptions> = {}) =>
    new DailyAaTest({
      database: configuration.handle.database,
      properties: () => [property],
      hasEvents: () => true,
      eventStore: store,
      evaluate: async (_property, until) => {
        evaluations.push((until - START) / DAY_MS);
        if (next instanceof Error) throw next;
        return next;
      },
      release: async () => {
        released++;
      },
      isStopping: () => false,
      startDelayMs: 0,
      log: pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }),
      ...options,
    });

  const history = async () =>
    (await listVerdicts(configuration.handle.database, 'shop', 400)).map(({ day, round, verdict }) => [
      day - START / DAY_MS,
      round,
      verdict,
    ]);

  test('evaluates each day once, when it is over, also after a restart', async () => {
    const first = startTest();
    await first.run(START + DAY_MS - 1);
    expect(evaluations).toEqual([]);
    for (const now of [1, 1.5, 1.9, 2.1]) await first.run(START + now * DAY_MS);
    expect(evaluations).toEqual([1, 2]);
    expect(released).toBeGreaterThanOrEqual(2);
    const restarted = startTest();
    for (const now of [2.2, 2.3, 3.1]) await restarted.run(START + now * DAY_MS);
    expect(evaluations).toEqual([1, 2, 3]);
    expect(await history()).toEqual([
      [2, ROUND, 'sound'],
      [1, ROUND, 'sound'],
      [0, ROUND, 'sound'],
    ]);
  });

  test('does not compete with the first requests after a start', async () => {
    const it = startTest({ startDelayMs: 1000 });
    for (const later of [0, 999]) await it.run(START + DAY_MS + later);
    expect(evaluations).toEqual([]);
    await it.run(START + DAY_MS + 1000);
    expect(evaluations).toEqual([1]);
  });

  test('the last day of a round belongs to it, and a clock that is set back changes nothing', async () => {
    const it = startTest();
    await visitAt(START + 28 * DAY_MS + 5);
    await it.run(START + 28.1 * DAY_MS);
    await it.run(START + 27.1 * DAY_MS);
    await it.run(START + 29.1 * DAY_MS);
    expect(await history()).toEqual([
      [28, ROUND + 1, 'sound'],
      [27, ROUND, 'sound'],
    ]);
  });

  test('two servers on the same data store one verdict per day', async () => {
    await Promise.all([startTest().run(START + DAY_MS), startTest().run(START + DAY_MS)]);
    // Whether both evaluate depends on which of them is faster.
    expect(new Set(evaluations)).toEqual(new Set([1]));
    expect(await history()).toEqual([[0, ROUND, 'sound']]);
  });

  test('does nothing without events, without sessions in the round, or if switched off', async () => {
    await startTest({ hasEvents: () => false }).run(START + DAY_MS);
    const it = startTest();
    await it.run(START + 29 * DAY_MS);
    property = { ...property, aaTest: 'off' };
    await it.run(START + 30 * DAY_MS);
    expect([evaluations, await history()]).toEqual([[], []]);
    expect(it.alarms).toBe(0);
  });

  test('a failure is logged, affects no other property, and is not repeated immediately', async () => {
    const [broken, fine] = ['broken', 'shop'].map((id) => ({ ...property, id }));
    await visitAt(START + 2000, 'broken');
    const tried: string[] = [];
    const it = startTest({
      properties: () => [broken!, fine!],
      evaluate: async ({ id }) => {
        tried.push(id);
        if (id === 'broken') throw new Error('disk on fire');
        return SOUND;
      },
    });
    await it.run(START + DAY_MS);
    await it.run(START + 1.1 * DAY_MS);
    expect(tried).toEqual(['broken', 'shop']);
    expect(logged).toMatchObject([{ level: 50, propertyId: 'broken', err: { message: 'disk on fire' } }]);
    expect(await history()).toEqual([[0, ROUND, 'sound']]);
  });

  test('a stopping server logs nothing', async () => {
    next = new Error('The server is stopping.');
    const it = startTest({ isStopping: () => true });
    await it.run(START + DAY_MS);
    expect([evaluations, logged]).toEqual([[1], []]);
  });

  test('a round that ended while no server was running gets its final verdict', async () => {
    await startTest().run(START + 2 * DAY_MS);
    await visitAt(START + 30 * DAY_MS);
    const later = startTest();
    for (const now of [31, 31.5, 32]) await later.run(START + now * DAY_MS);
    expect(evaluations).toEqual([2, 28, 31, 32]);
    expect((await history()).map(([day]) => day)).toEqual([31, 30, 27, 1]);
  });

  test('a verdict stored with a wrong clock does not prevent later ones', async () => {
    await visitAt(START + 300 * DAY_MS);
    await startTest().run(START + 301 * DAY_MS);
    const it = startTest();
    for (const now of [1, 1.5, 2]) await it.run(START + now * DAY_MS);
    expect(evaluations).toEqual([301, 1, 2]);
  });

  test('an alarm is logged once and counted until it ends', async () => {
    const it = startTest();
    next = { ...SOUND, verdict: 'alarm', words: 'Alarm: the split is off.' };
    await it.run(START + DAY_MS);
    await it.run(START + 2 * DAY_MS);
    expect(logged).toMatchObject([
      { level: 40, msg: 'A/A test: Alarm: the split is off.', propertyId: 'shop' },
    ]);
    expect(it.alarms).toBe(1);
    const restarted = startTest();
    await restarted.run(START + 2.1 * DAY_MS);
    expect(restarted.alarms).toBe(1);
    next = SOUND;
    await restarted.run(START + 3 * DAY_MS);
    expect(restarted.alarms).toBe(0);
    const [round] = await listRounds(configuration.handle.database, 'shop');
    expect(round).toMatchObject({ round: ROUND, verdict: 'sound', alarmDays: 2 });
  });

  test('verdicts are kept for two years, and deleted with their property', async () => {
    const { database } = configuration.handle;
    const save = (day: number) =>
      saveVerdict(database, 'shop', { ...SOUND, day, round: Math.floor(day / 28), mode: 'assignment' });
    for (const day of [1000, 1001, 1730]) await save(day);
    expect((await listVerdicts(database, 'shop', 400)).map(({ day }) => day)).toEqual([1730, 1001]);
    await database.deleteFrom('properties').where('id', '=', 'shop').execute();
    expect(await listVerdicts(database, 'shop', 400)).toEqual([]);
  });
});
