import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { flagsIn } from '../../features/flags/flag-evaluator.ts';
import { configurationModel } from '../../start/definitions.ts';
import { OPERATOR } from '../property/actor.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';
import { configurationAt } from './configuration-at.ts';
import { listHistory } from './history-store.ts';
import { recordClockCorrections } from './sequence-at.ts';
import { verifyHistory } from './verify-history.ts';

describe.each(engines())('$name', (engine) => {
  const T0 = Date.UTC(2026, 0, 1);
  const MINUTE = 60_000;

  let memory: MemoryConfiguration;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: T0 });
    memory = await openMemoryConfiguration(engine);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await memory.handle.close();
  });

  const at = (moment: number) => configurationAt(memory.handle.database, configurationModel, 'shop', moment);

  /** The values that flags of a past configuration had. */
  async function valuesAt(moment: number, context: object): Promise<Record<string, unknown>> {
    const past = await at(moment);
    const { set } = flagsIn(past as PropertyConfiguration, 'production');
    return Object.fromEntries(
      past!.flags.map(({ key }) => [key, set.evaluate(key, context as Record<string, unknown>)?.value]),
    );
  }

  const inProduction = (configuration: object) => ({ production: { enabled: true, ...configuration } });
  const ON_FOR_BETA = [
    { id: 'beta', conditions: [{ operator: 'inSegment', values: ['beta'] }], value: true },
  ];
  const planIs = (plan: string) => [{ attribute: 'plan', operator: 'equals', values: [plan] }];

  it('evaluates flags as they were, with the segments, prerequisites and definitions of that time', async () => {
    await memory.apply({
      segments: [{ id: 'beta', conditions: planIs('beta') }],
      flags: [
        {
          key: 'checkout',
          name: 'Checkout',
          type: 'boolean',
          defaultValue: false,
          environments: inProduction({ value: false, rules: ON_FOR_BETA }),
        },
        {
          key: 'upsell',
          name: 'Upsell',
          type: 'string',
          defaultValue: 'none',
          environments: inProduction({
            value: 'large',
            rules: [],
            prerequisites: [{ flag: 'checkout', value: true }],
          }),
        },
      ],
    });
    vi.setSystemTime(T0 + MINUTE);
    // Only the segment changes, but with it the values of both flags.
    await memory.apply({ segments: [{ id: 'beta', conditions: planIs('pro') }] });
    vi.setSystemTime(T0 + 2 * MINUTE);
    await memory.apply({
      flags: [{ key: 'checkout', environments: inProduction({ value: true, rules: [] }) }],
    });
    vi.setSystemTime(T0 + 3 * MINUTE);
    await memory.writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, ({ current }) => ({
      ...current!,
      flags: current!.flags.filter(({ key }) => key !== 'upsell'),
    }));

    const beta = { plan: 'beta' };
    const pro = { plan: 'pro' };
    expect(await valuesAt(T0, beta)).toEqual({ checkout: true, upsell: 'large' });
    expect(await valuesAt(T0, pro)).toEqual({ checkout: false, upsell: 'none' });
    expect(await valuesAt(T0 + MINUTE - 1, beta)).toEqual({ checkout: true, upsell: 'large' });
    expect(await valuesAt(T0 + MINUTE, beta)).toEqual({ checkout: false, upsell: 'none' });
    expect(await valuesAt(T0 + MINUTE, pro)).toEqual({ checkout: true, upsell: 'large' });
    expect(await valuesAt(T0 + 2 * MINUTE, beta)).toEqual({ checkout: true, upsell: 'large' });
    expect(await valuesAt(T0 + 3 * MINUTE, beta)).toEqual({ checkout: true });
  });

  it('equals the configuration of that moment, except for what only the present needs', async () => {
    const apply = async (minute: number, shop: object) => {
      vi.setSystemTime(T0 + minute * MINUTE);
      await memory.apply(shop as Record<string, unknown>);
      const property = (await memory.property())!;
      const {
        apiKeys: _keys,
        webhooks: _webhooks,
        members: _members,
        holdoutPeriod: _period,
        ...known
      } = property;
      return known;
    };
    const first = await apply(0, {
      name: 'Shop',
      environments: [{ id: 'staging', name: 'Staging' }],
      apiKeys: [{ kind: 'public', name: 'web' }],
      goals: [{ id: 'signup', name: 'Sign-ups', kind: 'count' }],
      feedbackTypes: [
        { id: 'nps', name: 'NPS', options: ['bad', { value: 'good', label: 'Good' }], textInput: false },
      ],
      splitTests: [
        {
          key: 'hero',
          type: 'id',
          status: 'running',
          variations: [
            { key: 'a', weight: 1, value: 'a' },
            { key: 'b', weight: 1, value: 'b' },
          ],
          goals: ['signup'],
        },
      ],
      flags: [
        {
          key: 'dark',
          name: 'Dark',
          type: 'boolean',
          defaultValue: false,
          environments: {
            staging: { enabled: true, value: true, rules: [] },
            ...inProduction({ value: true, rules: [] }),
          },
        },
      ],
    });
    const second = await apply(1, { holdout: 5, splitTests: [{ key: 'hero', status: 'paused' }] });
    const third = await apply(2, { goals: [{ id: 'signup', name: 'New accounts' }] });
    expect(await at(T0)).toEqual(first);
    expect(await at(T0 + MINUTE)).toEqual(second);
    expect(await at(T0 + 2 * MINUTE)).toEqual(third);
    expect(first.splitTests[0]?.phases).toHaveLength(1);
  });

  it('is undefined before the property existed, while it was deleted, and for unknown properties', async () => {
    const remove = () =>
      memory.writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, () => undefined);
    await memory.apply({ name: 'First' });
    vi.setSystemTime(T0 + MINUTE);
    await remove();
    vi.setSystemTime(T0 + 2 * MINUTE);
    await memory.apply({ name: 'Second' });
    const names = await Promise.all(
      [-1, 0, MINUTE, 2 * MINUTE].map(async (time) => (await at(T0 + time))?.name),
    );
    expect(names).toEqual([undefined, 'First', undefined, 'Second']);
    expect(await configurationAt(memory.handle.database, configurationModel, 'other', T0)).toBeUndefined();
  });

  describe('after the clock was set back', () => {
    const nameAt = async (minute: number) => (await at(T0 + minute * MINUTE))?.name;
    const apply = async (minute: number, name: string) => {
      vi.setSystemTime(T0 + minute * MINUTE);
      await memory.apply({ name });
    };
    const correct = (minute: number) => {
      const now = T0 + minute * MINUTE;
      vi.setSystemTime(now);
      return recordClockCorrections(memory.handle.database, { since: now, now });
    };

    it('looks changes up by the order of versions', async () => {
      await apply(0, 'First');
      await apply(60, 'Second');
      await correct(10);
      expect(await nameAt(10)).toBe('Second');
      await apply(15, 'Third');
      await apply(90, 'Fourth');
      const names = await Promise.all([0, 9, 10, 14, 15, 60, 89, 90].map(nameAt));
      expect(names).toEqual(['First', 'First', 'Second', 'Second', 'Third', 'Third', 'Third', 'Fourth']);
    });

    it('is recorded by several processes, and after it was set back again', async () => {
      await apply(60, 'First');
      await correct(10);
      await correct(11);
      expect(await nameAt(9)).toBeUndefined();
      await correct(5);
      await correct(70);
      expect(await Promise.all([4, 5].map(nameAt))).toEqual([undefined, 'First']);
    });

    it('has times by the clock, and times that always increase', async () => {
      await apply(0, 'First');
      await apply(60, 'Second');
      await apply(15, 'Third');
      await apply(60, 'Fourth');
      await apply(90, 'Fifth');
      const rows = await memory.handle.database
        .selectFrom('history')
        .select(['at', 'ordered_at'])
        .where('entity_type', '=', 'property')
        .orderBy('sequence')
        .execute();
      expect(rows.map((row) => (row.at - T0) / MINUTE)).toEqual([0, 60, 15, 60, 90]);
      const hour = T0 + 60 * MINUTE;
      expect(rows.map((row) => row.ordered_at)).toEqual([T0, hour, hour + 1, hour + 2, T0 + 90 * MINUTE]);
      const { problem } = await verifyHistory(
        memory.handle.database,
        configurationModel,
        'shop',
        await memory.property(),
      );
      expect(problem).toBeUndefined();
    });

    it('lists changes by the order of versions', async () => {
      await apply(0, 'First');
      await apply(60, 'Second');
      await correct(10);
      await apply(15, 'Third');
      const list = async (filter: { from?: number; to?: number }) => {
        const { rows } = await listHistory(memory.handle.database, 'shop', { ...filter, limit: 50 });
        return rows.filter((row) => row.entity_type === 'property').map((row) => row.property_version);
      };
      const minute = (count: number) => T0 + count * MINUTE;
      expect(await list({ to: minute(16) })).toEqual([3, 2, 1]);
      expect(await list({ to: minute(15) })).toEqual([2, 1]);
      expect(await list({ to: minute(10) })).toEqual([1]);
      expect(await list({ from: minute(1) })).toEqual([3, 2]);
      expect(await list({ from: minute(11) })).toEqual([3]);
    });
  });
});
