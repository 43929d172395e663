import { engines } from '@switchyard/testing/configuration/databases';
import {
  expectExactHistory,
  readHistory,
  storedProperty,
} from '@switchyard/testing/configuration/exact-history';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProvisionError } from '../../features/provisioning/provision-mistake.ts';
import { configurationModel } from '../../start/definitions.ts';
import { referencesTo } from '../changes/references.ts';
import { OPERATOR } from '../property/actor.ts';
import type { ItemType, PropertyConfiguration, Webhook } from '../property/property-configuration.ts';
import type { Change, Changed } from '../writer/configuration-writer.ts';
import { configurationAt, documentAtVersion, stateAfter } from './configuration-at.ts';
import { HistoryState } from './history-state.ts';
import { lastRow } from './history-store.ts';

describe.each(engines())('$name', (engine) => {
  let memory: MemoryConfiguration;
  beforeEach(async () => {
    memory = await openMemoryConfiguration(engine);
  });
  afterEach(() => memory.handle.close());

  const BY = { actor: OPERATOR, via: 'cli' as const };
  const change = (apply: Change): Promise<Changed> => memory.writer.changeProperty('shop', BY, apply);
  const edit = (apply: (current: PropertyConfiguration) => PropertyConfiguration | undefined) =>
    change(({ current }) => apply(current!));

  const stored = () => storedProperty(memory.handle.database, 'shop');
  const history = () => readHistory(memory.handle.database, 'shop');
  const expectExact = () => expectExactHistory(memory.handle.database, 'shop');

  const WEBHOOK: Omit<Webhook, 'id' | 'version'> = {
    url: 'https://example.com/hook',
    events: ['feedback.submitted'],
    enabled: true,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    createdAt: 1,
  };

  const replaceOrAdd = <T>(list: readonly T[], item: T, isIt: (each: T) => boolean): T[] =>
    list.some(isIt) ? list.map((each) => (isIt(each) ? item : each)) : [...list, item];

  /** One random change, through a provision file or through the writer. */
  async function randomChange(random: () => number, step: number): Promise<void> {
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
    const name = `change ${step}`;
    const id = pick(['a', 'b', 'c', '__proto__x', 'constructor']);
    const steps: (() => Promise<unknown>)[] = [
      () => memory.apply({ name, holdout: Math.floor(random() * 10), retentionDays: pick([null, 30]) }),
      () => memory.apply({ environments: [{ id: pick(['staging', 'test']), name }] }),
      () => memory.apply({ goals: [{ id: pick(['g1', 'g2', 'g3']), name, kind: 'count' }] }),
      () =>
        memory.apply({
          feedbackTypes: [
            {
              id: pick(['f1', 'f2']),
              name,
              options: ['__proto__', { value: 'ok', label: name }],
              textInput: true,
            },
          ],
        }),
      () =>
        memory.apply({
          segments: [
            {
              id: pick(['s1', 's2']),
              name,
              conditions: [{ attribute: 'plan', operator: 'equals', values: [id] }],
            },
          ],
        }),
      // Not every goal exists.
      () => memory.apply({ metrics: [randomMetric(pick, name)] }).catch(expectMistake),
      () => memory.apply({ flags: [randomFlag(pick, name)] }),
      // Not every change of status is allowed.
      () => memory.apply({ splitTests: [randomTest(pick, name)] }).catch(expectMistake),
      () => edit((current) => withMember(current, pick)),
      () => edit((current) => withWebhook(current, name, pick)),
      () => removeRandom(pick),
      () => removeRandom(pick),
    ];
    if (random() < 0.02) {
      await edit(() => undefined);
      await memory.apply({ name });
    }
    await pick(steps)();
  }

  function expectMistake(error: unknown): void {
    expect(error).toBeInstanceOf(ProvisionError);
  }

  type Pick = <T>(choices: readonly T[]) => T;

  const randomFlag = (pick: Pick, name: string) => ({
    key: pick(['x', 'y', 'z']),
    name,
    type: 'boolean',
    defaultValue: false,
    environments: {
      production: {
        enabled: pick([true, false]),
        value: pick([true, false]),
        rules: pick([
          [],
          [{ id: 'r1', conditions: [{ attribute: 'a', operator: 'isSet' }], value: true }],
          [{ id: 'r1', rollout: { percentage: pick([10, 20]) }, value: true }],
        ]),
      },
    },
  });

  const randomMetric = (pick: Pick, name: string) => ({
    id: pick(['m1', 'm2']),
    name,
    ...pick([
      { kind: 'count', goalId: 'g1', cap: 3 },
      { kind: 'page', path: '/checkout*' },
      { kind: 'funnel', steps: [{ goalId: 'g2' }, { event: 'pay' }], withinDays: 2 },
    ]),
  });

  const randomTest = (pick: Pick, name: string) => ({
    key: pick(['t1', 't2']),
    name,
    type: 'id',
    // New weights of a running test open a phase.
    ...pick([{}, { status: 'running' }, { status: 'paused' }]),
    variations: [
      { key: 'a', weight: 1, value: 'a' },
      { key: 'b', weight: pick([1, 2, 3]), value: 'b' },
    ],
    ...pick([{}, { goals: [{ metric: 'm1' }] }, { guardrails: ['g1', { metric: 'm2', maxHarm: 0.1 }] }]),
  });

  function withMember(current: PropertyConfiguration, pick: Pick): PropertyConfiguration {
    const accountId = pick(['acc_1', 'acc_2', 'acc_3']);
    const known = configurationModel.findItem(current, 'member', accountId);
    const member = {
      accountId,
      version: 0,
      createdAt: 5,
      ...known,
      role: pick(['viewer', 'admin'] as const),
    };
    return {
      ...current,
      members: replaceOrAdd(current.members, member, (each) => each.accountId === accountId),
    };
  }

  function withWebhook(current: PropertyConfiguration, name: string, pick: Pick): PropertyConfiguration {
    const id = pick(['w1', 'w2']);
    const known = configurationModel.findItem(current, 'webhook', id);
    const webhook = { ...WEBHOOK, version: 0, ...known, id, name };
    return { ...current, webhooks: replaceOrAdd(current.webhooks, webhook, (each) => each.id === id) };
  }

  const REMOVABLE: ItemType[] = [
    'goal',
    'metric',
    'segment',
    'flag',
    'feedback-type',
    'split-test',
    'member',
    'webhook',
  ];

  async function removeRandom(pick: Pick): Promise<void> {
    const type = pick(REMOVABLE);
    await edit((current) => {
      const items = configurationModel.itemsOf(current, type);
      const removed = items[0];
      if (removed === undefined) return current;
      const key = configurationModel.keyOf(type, removed);
      if (referencesTo(configurationModel, current, { type, key }).length > 0) return current;
      const kept = items.filter((item) => item !== removed);
      return configurationModel.withItems(current, type, kept);
    });
  }

  describe('history', () => {
    it('replays to exactly what is stored after any changes, also from snapshots', async () => {
      const seed = Date.now() % 2 ** 31;
      console.log(`random changes: seed ${seed}`);
      const random = mulberry32(seed);
      await memory.apply({ name: 'Shop' });
      const states = new Map<number, PropertyConfiguration | undefined>();
      for (let step = 0; step < 400; step++) {
        await randomChange(random, step);
        if (step % 10 > 0) continue;
        const last = await lastRow(memory.handle.database, 'shop');
        states.set(last!.sequence, await stored());
      }
      await expectExact();
      const { database } = memory.handle;
      const snapshots = await database.selectFrom('history_snapshots').select('sequence').execute();
      expect(snapshots.length).toBeGreaterThan(0);
      for (const [sequence, property] of states) {
        const state = await stateAfter(database, configurationModel, 'shop', sequence);
        const expected = property && HistoryState.of(configurationModel, property).serialize();
        expect(state.property && state.serialize()).toEqual(expected);
      }
    });

    it('returns the stored state from the writer, in the stored order', async () => {
      await memory.apply({
        goals: [
          { id: 'a', name: 'A', kind: 'count' },
          { id: 'b', name: 'B', kind: 'count' },
        ],
      });
      const { current } = await edit((property) => {
        const [a, b] = property.goals;
        const added = { ...a!, id: 'c', version: 0 };
        return { ...property, goals: [added, { ...b!, name: 'B2' }, a!] };
      });
      expect(current!.goals.map(({ id, version }) => `${id}${version}`)).toEqual(['a1', 'b2', 'c1']);
      expect(current).toEqual(await stored());
      await expectExact();
    });

    it('goes on after a property was deleted and created again, with versions that were never used', async () => {
      await memory.apply({ name: 'First', goals: [{ id: 'a', name: 'A', kind: 'count' }] });
      await memory.apply({ name: 'Second' });
      await edit(() => undefined);
      expect(await stored()).toBeUndefined();
      expect(
        await configurationAt(memory.handle.database, configurationModel, 'shop', Number.MAX_SAFE_INTEGER),
      ).toBeUndefined();
      await expectExact();
      await memory.apply({ name: 'Third', goals: [{ id: 'a', name: 'B', kind: 'count' }] });
      expect(await stored()).toMatchObject({ version: 4, goals: [{ name: 'B', version: 3 }] });
      await expectExact();
      const { database } = memory.handle;
      const goal = { type: 'goal', key: 'a' } as const;
      // Of the deleted goal: nothing may be merged with it.
      expect(await documentAtVersion(database, configurationModel, 'shop', goal, 1)).toBeUndefined();
      expect(await documentAtVersion(database, configurationModel, 'shop', goal, 2)).toBeUndefined();
      expect(await documentAtVersion(database, configurationModel, 'shop', goal, 3)).toMatchObject({
        name: 'B',
      });
      const property = { type: 'property', key: 'shop' } as const;
      expect(await documentAtVersion(database, configurationModel, 'shop', property, 2)).toBeUndefined();
      expect(await documentAtVersion(database, configurationModel, 'shop', property, 4)).toMatchObject({
        name: 'Third',
      });
    });

    it('has no entry for a change that changes nothing, and none of a dry run', async () => {
      await memory.apply({ name: 'Shop' });
      const before = await history();
      await memory.apply({ name: 'Shop' });
      await edit((current) => ({ ...current }));
      const dryRun = { ...BY, dryRun: true };
      const planned = await memory.writer.changeProperty('shop', dryRun, ({ current }) => ({
        ...current!,
        name: 'New',
      }));
      expect(planned.changes).toHaveLength(1);
      expect(await history()).toEqual(before);
      expect((await stored())?.name).toBe('Shop');
    });

    it('rolls back everything when a change of several properties fails', async () => {
      await memory.apply({ name: 'Shop' });
      const failing = memory.writer.transaction(BY, async (changes) => {
        await changes.changeProperty('shop', ({ current }) => ({ ...current!, name: 'Half' }));
        throw new Error('later');
      });
      await expect(failing).rejects.toThrow('later');
      expect((await stored())?.name).toBe('Shop');
      expect(await history()).toHaveLength(2);
      await expectExact();
    });

    it('never contains a secret', async () => {
      await memory.apply({ apiKeys: [{ kind: 'secret', name: 'backend' }] });
      await edit((current) => ({ ...current, webhooks: [{ ...WEBHOOK, id: 'w', version: 0 }] }));
      await edit((current) => ({
        ...current,
        webhooks: [{ ...current.webhooks[0]!, secret: 'whsec_other' }],
      }));
      const text = JSON.stringify(await history());
      const { apiKeys } = (await stored())!;
      for (const secret of ['whsec_', apiKeys[0]!.hash]) expect(text).not.toContain(secret);
      // But that it was replaced is there.
      expect((await history()).at(-1)).toMatchObject({
        entity: { type: 'webhook', key: 'w' },
        changes: [],
        version: 2,
      });
      await expectExact();
    });
  });
});
