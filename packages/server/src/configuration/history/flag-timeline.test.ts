import { type Targeting, TargetingIndex } from '@switchyard/core/evaluation/used-attributes';
import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configurationModel } from '../../start/definitions.ts';
import { OPERATOR } from '../property/actor.ts';
import { definitionIn } from '../property/flag-definition.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';
import { configurationAt } from './configuration-at.ts';
import { type FlagEra, FlagTimeline } from './flag-timeline.ts';
import { recordClockCorrections } from './sequence-at.ts';

describe.each(engines())('$name', (engine) => {
  const T0 = Date.UTC(2026, 0, 1);
  const KEYS = ['x', 'y', 'z'];
  const SEGMENTS = ['s1', 's2'];

  let memory: MemoryConfiguration;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: T0 });
    memory = await openMemoryConfiguration(engine);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await memory.handle.close();
  });

  type Pick = <T>(choices: readonly T[]) => T;

  const edit = (apply: (current: PropertyConfiguration) => PropertyConfiguration | undefined) =>
    memory.writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, ({ current }) => apply(current!));

  /** One change of a flag, of a segment, or of something else; some are refused. */
  async function randomChange(pick: Pick, step: number): Promise<void> {
    const key = pick(KEYS);
    const id = pick(SEGMENTS);
    // Only on flags that come earlier, so that there is no cycle.
    const earlier = KEYS.slice(0, KEYS.indexOf(key));
    const inSegment = { operator: 'inSegment', values: [id] };
    const configuration = {
      enabled: pick([true, true, false]),
      value: pick([true, false]),
      rules: pick([[], [{ id: 'r', conditions: [inSegment], value: true }]]),
      prerequisites: earlier.length > 0 ? pick([[], [{ flag: pick(earlier), value: true }]]) : [],
    };
    const flag = { key, type: 'boolean', defaultValue: false, environments: { production: configuration } };
    const conditions = [{ attribute: 'plan', operator: 'equals', values: [`plan ${step}`] }];
    const steps = [
      () => memory.apply({ flags: [flag] }),
      () => memory.apply({ flags: [flag] }),
      () => memory.apply({ segments: [{ id, conditions }] }),
      () => memory.apply({ goals: [{ id: 'g', name: `change ${step}`, kind: 'count' }] }),
      () => edit((current) => ({ ...current, flags: current.flags.filter((each) => each.key !== key) })),
      () => edit((current) => ({ ...current, segments: current.segments.filter((each) => each.id !== id) })),
    ];
    if (pick(Array.from({ length: 40 }, (_, index) => index)) === 0) await edit(() => undefined);
    await pick(steps)().catch(() => undefined);
  }

  /** What decides about a flag, in a fixed order and without versions. */
  function essence(targeting: Targeting | undefined, key: string) {
    const { flags, segments } = new TargetingIndex(targeting ?? { flags: [], segments: [] }).neededFor([key]);
    const named = [...flags.map(({ version: _version, ...flag }) => flag), ...segments].map((item) => {
      const { version: _version, ...rest } = item as { version?: number };
      return JSON.stringify(rest);
    });
    return named.sort();
  }

  it('has the definitions of every moment, like the rebuilt configuration', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.log(`random changes: seed ${seed}`);
    const random = mulberry32(seed);
    const pick: Pick = (choices) => choices[Math.floor(random() * choices.length)]!;
    const moments = new Set<number>();
    let now = T0;
    for (let step = 0; step < 80; step++) {
      now += 10;
      if (random() < 0.1) {
        now = Math.max(T0, now - Math.floor(random() * 100));
        if (random() < 0.5) await recordClockCorrections(memory.handle.database, { since: now - 3, now });
      }
      vi.setSystemTime(now);
      await randomChange(pick, step);
      for (const moment of [now - 3, now, now + 5]) moments.add(moment);
    }
    // With both segments, since a remaining rule may name one that was deleted.
    await memory.apply({
      name: 'Shop',
      segments: SEGMENTS.map((id) => ({ id, conditions: [] })),
      flags: KEYS.map((key) => ({ key, type: 'boolean', defaultValue: false })),
    });
    const { database } = memory.handle;
    const property = (await memory.property())!;
    for (const key of KEYS) {
      const timeline = new FlagTimeline(database, configurationModel, property, key, 'production');
      let era: FlagEra | undefined;
      for (const moment of [...moments].sort((a, b) => b - a)) {
        if (era === undefined || moment < era.from) era = await timeline.at(moment);
        const past = await configurationAt(database, configurationModel, 'shop', moment);
        const flags = past?.flags.map((flag) => definitionIn(flag, 'production')) ?? [];
        const expected = essence({ flags, segments: past?.segments ?? [] }, key);
        expect(essence(era.targeting, key), `${key} at ${moment - T0}`).toEqual(expected);
      }
    }
    const before = await new FlagTimeline(database, configurationModel, property, 'x', 'production').at(
      T0 - 10,
    );
    expect(before.targeting).toBeUndefined();
  });

  async function changeFlags(...keys: string[]): Promise<void> {
    for (let step = 0; step <= 4; step++) {
      vi.setSystemTime(T0 + step);
      const flags = keys.map((key) => ({
        key,
        type: 'boolean',
        defaultValue: step % 2 === 0,
        environments: {
          production: {
            enabled: true,
            value: true,
            prerequisites: key === 'x' ? keys.slice(1).map((flag) => ({ flag, value: true })) : [],
          },
        },
      }));
      await memory.apply({ flags });
    }
  }

  /** The default value of `x` in each state that is known. */
  async function knownValues(limits: { changes: number; characters: number }) {
    const property = (await memory.property())!;
    const timeline = new FlagTimeline(
      memory.handle.database,
      configurationModel,
      property,
      'x',
      'production',
      limits,
    );
    const values: unknown[] = [];
    for (let step = 4; step >= 0; step--) {
      values.unshift((await timeline.at(T0 + step)).targeting?.flags[0]?.defaultValue);
    }
    return values;
  }

  it('does not know what was before the latest changes that it reads', async () => {
    await changeFlags('x');
    const characters = Number.POSITIVE_INFINITY;
    expect(await knownValues({ changes: 2, characters })).toEqual([undefined, undefined, true, false, true]);
    expect(await knownValues({ changes: 9, characters: 0 })).toEqual([...Array(4).fill(undefined), true]);
  });

  it('limits what it reads of all items together', async () => {
    await changeFlags('x', 'y', 'z');
    const characters = Number.POSITIVE_INFINITY;
    expect(await knownValues({ changes: 15, characters })).toEqual([true, false, true, false, true]);
    expect(await knownValues({ changes: 7, characters })).toEqual([...Array(4).fill(undefined), true]);
  });
});
