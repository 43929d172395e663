import { engines } from '@switchyard/testing/configuration/databases';
import { readHistory, storedProperty } from '@switchyard/testing/configuration/exact-history';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configurationModel } from '../../start/definitions.ts';
import { OPERATOR } from '../property/actor.ts';
import { configurationAt } from './configuration-at.ts';
import { type Redacted, redactHistory } from './redact-history.ts';
import { verifyHistory } from './verify-history.ts';

const ADA = 'Ada.Lovelace@shop.example';

describe.each(engines())('$name', (engine) => {
  let memory: MemoryConfiguration;
  beforeEach(async () => {
    memory = await openMemoryConfiguration(engine);
  });
  afterEach(() => memory.handle.close());

  const flagFor = (operator: string, ...values: string[]) => ({
    key: 'banner',
    type: 'boolean',
    defaultValue: false,
    environments: {
      production: {
        enabled: true,
        value: false,
        rules: [{ id: 'r', conditions: [{ attribute: 'email', operator, values }], value: true }],
      },
    },
  });
  const redact = (wanted: Redacted, dryRun = false) =>
    redactHistory(memory.handle.database, 'shop', wanted, { dryRun, model: configurationModel });
  const verified = async () =>
    verifyHistory(
      memory.handle.database,
      configurationModel,
      'shop',
      await storedProperty(memory.handle.database, 'shop'),
    );
  const everything = async () => {
    const tables = ['history', 'history_snapshots', 'proposals', 'webhook_deliveries', 'audit_log'];
    const rows = await Promise.all(
      tables.map((table) => sql.raw(`select * from ${table}`).execute(memory.handle.database)),
    );
    return JSON.stringify(rows).toLowerCase();
  };

  it('removes text from rules and segments, and the chain stays valid', async () => {
    await memory.apply({
      flags: [flagFor('equals', 'bob@shop.example', ADA)],
      segments: [
        {
          id: 'staff',
          conditions: [
            { attribute: 'email', operator: 'matches', values: ['^ada\\.lovelace@shop\\.example$'] },
          ],
        },
      ],
    });
    await memory.apply({ flags: [flagFor('equals', 'bob@shop.example')] });
    await expect(redact({ text: ADA })).rejects.toThrow('segment "staff"');
    await memory.apply({ segments: [{ id: 'staff', conditions: [] }] });
    const before = await readHistory(memory.handle.database, 'shop');
    const planned = await redact({ text: ADA }, true);
    expect(planned.entries.map((entry) => `${entry.action} ${entry.entity_key}`)).toEqual([
      'create staff',
      'create banner',
      'update banner',
      'update staff',
    ]);
    expect(await readHistory(memory.handle.database, 'shop')).toEqual(before);
    expect((await redact({ text: ADA })).entries).toEqual(planned.entries.map((entry) => entry));
    expect(await everything()).not.toMatch(/lovelace/);
    expect(await verified()).toEqual({ entries: before.length, redacted: 4 });
    const past = await configurationAt(memory.handle.database, configurationModel, 'shop', before[0]!.at);
    expect(JSON.stringify(past?.flags)).toContain('["bob@shop.example","[redacted]"]');
    expect((await redact({ text: ADA })).entries).toEqual([]);
  });

  it('removes all e-mail addresses, except those that the configuration has', async () => {
    await memory.apply({ flags: [flagFor('equals', 'bob@shop.example', ADA, '@shop.example')] });
    await memory.apply({ flags: [flagFor('equals', 'bob@shop.example', '@shop.example')] });
    const { kept } = await redact({ emails: true });
    expect(kept).toEqual(['bob@shop.example']);
    const text = await everything();
    expect(text).toContain('bob@shop.example');
    expect(text).not.toContain('lovelace');
    expect((await verified()).problem).toBeUndefined();
  });

  it('removes it from snapshots, comments and the history of a deleted property', async () => {
    await memory.apply({ flags: [flagFor('equals', ADA)] });
    const change = (name: string) =>
      memory.writer.changeProperty(
        'shop',
        { actor: OPERATOR, via: 'cli', comment: `asked for by ${ADA}` },
        ({ current }) => ({ ...current!, name }),
      );
    for (let step = 0; step < 202; step++) await change(`Shop ${step}`);
    expect(
      JSON.stringify(await memory.handle.database.selectFrom('history_snapshots').selectAll().execute()),
    ).toContain(ADA);
    await memory.writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, () => undefined);
    await redact({ text: ADA.toUpperCase() });
    expect(await everything()).not.toContain('lovelace');
    expect((await verified()).problem).toBeUndefined();
  });

  it('notices that somebody changed a redacted entry', async () => {
    await memory.apply({ flags: [flagFor('equals', ADA)] });
    await memory.apply({ flags: [flagFor('equals', 'x')] });
    await redact({ text: ADA });
    const { database } = memory.handle;
    const [row] = await database.selectFrom('history').selectAll().where('salt', 'is', null).execute();
    const modify = (comment: string | null) =>
      database.updateTable('history').set({ comment }).where('id', '=', row!.id).execute();
    await modify('forged');
    expect((await verified()).problem).toBe(`entry ${row!.sequence} (${row!.id}) was modified`);
    await modify(row!.comment);
    expect((await verified()).problem).toBeUndefined();
    await database.updateTable('history').set({ salt: null }).execute();
    expect((await verified()).problem).toMatch(/^entry 1 .* was modified$/);
  });
});
