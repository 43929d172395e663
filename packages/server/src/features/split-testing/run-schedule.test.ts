import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSchedule } from './run-schedule.ts';

describe.each(engines())('$name', (engine) => {
  const START = Date.now() + 1_000_000;
  const STOP = START + 1_000_000;
  const variations = [{ key: 'a', weight: 1 }];
  const TEST = { key: 'hero', type: 'id', variations, startAt: START, stopAt: STOP };

  let shop: MemoryConfiguration;
  beforeEach(async () => {
    shop = await openMemoryConfiguration(engine);
  });
  afterEach(() => shop.handle.close());

  const run = async (now: number) => runSchedule(shop.writer, [(await shop.property())!], now);
  const step = (status: string, at: number) => ({ propertyId: 'shop', splitTestKey: 'hero', status, at });

  it('starts and stops a test as of the scheduled time, even when late', async () => {
    await shop.apply({ splitTests: [TEST] });
    expect(await run(START - 1)).toEqual([]);
    expect(await run(START + 5)).toEqual([step('running', START)]);
    expect(await shop.test('hero')).toMatchObject({
      status: 'running',
      phases: [{ number: 1, startedAt: START, endedAt: null, reasons: ['started'] }],
    });
    expect(await run(START + 10)).toEqual([]);
    expect(await run(STOP)).toEqual([step('stopped', STOP)]);
    expect(await shop.test('hero')).toMatchObject({
      status: 'stopped',
      phases: [{ number: 1, startedAt: START, endedAt: STOP }],
    });
    expect(await run(STOP + 1)).toEqual([]);
  });

  it('catches up on start and stop at once', async () => {
    await shop.apply({ splitTests: [TEST] });
    const { version } = (await shop.property())!;
    expect(await run(STOP + 5)).toEqual([step('running', START), step('stopped', STOP)]);
    expect((await shop.test('hero')).phases).toMatchObject([{ startedAt: START, endedAt: STOP }]);
    expect((await shop.property())!.version).toBeGreaterThan(version);
  });

  it('stops a paused test', async () => {
    await shop.apply({ splitTests: [{ ...TEST, status: 'running' }] });
    await shop.apply({ splitTests: [{ key: 'hero', status: 'paused' }] });
    expect(await run(STOP)).toEqual([step('stopped', STOP)]);
    expect((await shop.test('hero')).phases).toMatchObject([{ endedAt: STOP }]);
  });

  it('does not backdate changes to before the schedule was saved', async () => {
    const before = Date.now();
    await shop.apply({ splitTests: [{ ...TEST, startAt: 1000, stopAt: 2000 }] });
    const steps = await run(Date.now());
    expect(steps.map(({ status }) => status)).toEqual(['running', 'stopped']);
    const [phase] = (await shop.test('hero')).phases;
    expect(phase!.startedAt).toBeGreaterThanOrEqual(before);
    expect(phase!.endedAt).toBe(phase!.startedAt);
  });

  it('uses the stored test, not an outdated copy', async () => {
    await shop.apply({ splitTests: [{ ...TEST, status: 'running' }] });
    const outdated = (await shop.property())!;
    await shop.apply({ splitTests: [{ key: 'hero', stopAt: STOP + 1000 }] });
    expect(await runSchedule(shop.writer, [outdated], STOP)).toEqual([]);
    expect((await shop.test('hero')).status).toBe('running');
  });

  it('ignores tests without a schedule and finished tests', async () => {
    const statuses = ['draft', 'running', 'paused', 'stopped', 'archived'];
    await shop.apply({
      splitTests: [
        ...statuses.map((status) => ({ key: status, type: 'id', status, variations })),
        { ...TEST, key: 'over', status: 'stopped' },
        { ...TEST, key: 'away', status: 'archived' },
      ],
    });
    expect(await run(STOP + 1)).toEqual([]);
  });
});
