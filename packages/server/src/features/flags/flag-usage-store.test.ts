import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EvaluationCounts, type UsageCount } from './evaluation-counts.ts';
import { FlagUsageReader } from './flag-usage-reader.ts';
import { FlagUsageRecorder } from './flag-usage-recorder.ts';
import { addUsage, readUsage } from './flag-usage-store.ts';
import { deleteOldUsage } from './usage-cleanup.ts';
import { usageValue } from './usage-value.ts';

describe.each(engines())('$name', (engine) => {
  let configuration: MemoryConfiguration;
  const database = () => configuration.handle.database;
  beforeEach(async () => {
    configuration = await openMemoryConfiguration(engine);
    await configuration.apply({
      flags: [{ key: 'banner', type: 'string', defaultValue: 'none', environments: {} }],
    });
  });
  afterEach(() => configuration.handle.close());

  const HOUR = 1_800_000_000_000 - (1_800_000_000_000 % HOUR_MS);
  const count = (value: string, more: Partial<UsageCount> = {}): UsageCount => ({
    propertyId: 'shop',
    environmentId: 'production',
    flagKey: 'banner',
    value: usageValue(value),
    count: 1,
    at: HOUR + 5,
    ...more,
  });
  const add = (...counts: UsageCount[]) =>
    database()
      .transaction()
      .execute((transaction) => addUsage(transaction, counts));
  const rows = () =>
    database().selectFrom('flag_usage').selectAll().orderBy('hour').orderBy('value').execute();

  test('adds to the rows of the hour', async () => {
    await add(count('a', { count: 2 }), count('a', { count: 3, at: HOUR + 9 }), count('b'));
    await add(count('a', { at: HOUR + 7 }), count('a', { at: HOUR + HOUR_MS }));
    expect((await rows()).map((row) => [row.hour - HOUR, row.value, row.count, row.last_at - HOUR])).toEqual([
      [0, '"a"', 6, 9],
      [0, '"b"', 1, 5],
      [HOUR_MS, '"a"', 1, HOUR_MS],
    ]);
  });

  test('keeps up to 100 values per flag, environment and hour, and counts the others together', async () => {
    const values = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => count(`v${from + i}`));
    await add(...values(0, 60));
    await add(...values(50, 130));
    await add(...values(0, 130), count('x', { environmentId: 'staging' }));
    const stored = await rows();
    const production = stored.filter((row) => row.environment_id === 'production');
    expect(production).toHaveLength(101);
    expect(production[0]).toMatchObject({ value: '', count: 60 });
    expect(production.reduce((sum, row) => sum + row.count, 0)).toBe(60 + 80 + 130);
    expect(stored.filter((row) => row.environment_id === 'staging')).toHaveLength(1);
    const read = await readUsage(database(), { propertyId: 'shop', from: 0, maxValues: 3 });
    expect(read.map((it) => it.count)).toEqual([60 + 80 + 130 - 9, 3, 3, 3, 1]);
  });

  test('drops counts of properties that no longer exist', async () => {
    await add(count('a'), count('a', { propertyId: 'gone' }));
    expect(await rows()).toHaveLength(1);
  });

  test('huge counts neither overflow nor fail', async () => {
    for (let i = 0; i < 3; i++) await add(count('a', { count: 8e15 }));
    const [total] = await readUsage(database(), { propertyId: 'shop', from: 0, maxValues: 10 });
    expect(total).toMatchObject({ value: '"a"', count: 8e15 });
  });

  test('long values are cut, and different ones stay apart', async () => {
    const long = 'x'.repeat(500);
    await add(count(`${long}1`), count(`${long}2`), count(`${'💡'.repeat(200)}`));
    const values = (await rows()).map((row) => JSON.parse(row.value) as string);
    expect(new Set(values).size).toBe(3);
    for (const value of values) {
      expect(value.length).toBeLessThan(256);
      expect(value.isWellFormed()).toBe(true);
    }
  });

  test('old rows are deleted, recent ones stay', async () => {
    const now = HOUR + 401 * DAY_MS;
    await add(count('a'), count('b', { at: HOUR + HOUR_MS }), count('c', { at: now - 2 * DAY_MS }));
    for (const [id, at] of [
      ['old', now - DAY_MS - 1],
      ['recent', now - HOUR_MS],
    ] as const) {
      await database()
        .insertInto('usage_reports')
        .values({ property_id: 'shop', report_id: id, received_at: at })
        .execute();
    }
    await deleteOldUsage(database(), now);
    expect((await rows()).map(({ value }) => value)).toEqual(['"c"']);
    expect(await database().selectFrom('usage_reports').select('report_id').execute()).toEqual([
      { report_id: 'recent' },
    ]);
  });

  test('the recorder counts a report once, and batches what arrives meanwhile', async () => {
    const recorder = new FlagUsageRecorder(database(), new EvaluationCounts());
    const report = (reportId: string) =>
      recorder.report({ propertyId: 'shop', reportId, counts: [count('a')], receivedAt: HOUR });
    await Promise.all([report('1'), report('2'), report('2'), report('3')]);
    await report('1');
    expect(await rows()).toMatchObject([{ count: 3 }]);
    // The first alone, the others together, then the last.
    expect(recorder.revision).toBe(3);
  });

  test('the recorder keeps counts that could not be written for the next flush', async () => {
    const evaluations = new EvaluationCounts();
    const recorder = new FlagUsageRecorder(database(), evaluations);
    const result = { ...count('a'), count: 0 };
    const renamed = (from: string, to: string) => database().schema.alterTable(from).renameTo(to).execute();
    evaluations.add(result);
    evaluations.add(result);
    await renamed('flag_usage', 'hidden');
    await expect(recorder.flush(HOUR)).rejects.toThrow(/flag_usage/);
    await renamed('hidden', 'flag_usage');
    evaluations.add(result);
    await recorder.flush(HOUR + 1);
    await recorder.flush(HOUR + 2);
    expect(await rows()).toMatchObject([{ count: 3, last_at: HOUR + 1 }]);
  });

  test('the reader returns what was written since the last call', async () => {
    const recorder = new FlagUsageRecorder(database(), new EvaluationCounts());
    const reader = new FlagUsageReader(database(), () => recorder.revision);
    const property = (await configuration.property())!;
    const evaluations = async () => (await reader.read(property)).flags[0]!.environments[0]!.evaluations;
    expect(await evaluations()).toBe(0);
    const now = Date.now();
    await recorder.report({ propertyId: 'shop', counts: [count('a', { at: now })], receivedAt: now });
    expect(await evaluations()).toBe(1);
    expect((await reader.read(property, 'banner')).flags).toHaveLength(1);
    expect((await reader.read(property, 'unknown')).flags).toEqual([]);
  });
});
