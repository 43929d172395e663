import { rmSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { commitmentTo, entryHash } from '../../configuration/history/history-chain.ts';
import { lastRow } from '../../configuration/history/history-store.ts';
import { OPERATOR } from '../../configuration/property/actor.ts';
import { configurationModel, createConfigurationWriter } from '../../start/definitions.ts';
import { checkHistory } from './doctor-history.ts';

let dataDir: string;
let handle: DatabaseHandle;
beforeEach(async () => {
  dataDir = temporaryDirectory();
  // Stays open, like a running server.
  handle = await openDatabase(dataDir);
  await provisionDatabase(handle.database, ...(SAMPLE.properties as never[]));
  await provisionDatabase(handle.database, { id: 'shop', flags: [{ key: 'banner', name: 'Top banner' }] });
});
afterEach(async () => {
  await handle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Changes the database as somebody does who knows where it is. */
function tamper(sql: string): void {
  const connection = new DatabaseSync(databasePath(dataDir), { timeout: 5000 });
  connection.exec(sql);
  connection.close();
}

const ids = async (where: string): Promise<{ id: string; sequence: number }[]> => {
  const connection = new DatabaseSync(databasePath(dataDir), { readOnly: true });
  const rows = connection.prepare(`select id, sequence from history where ${where} order by sequence`).all();
  connection.close();
  return rows as { id: string; sequence: number }[];
};

async function expectProblem(detail: string): Promise<void> {
  expect(await checkHistory(configurationModel, { path: databasePath(dataDir) })).toEqual([
    { name: 'History', status: 'fail', detail, hint: expect.stringMatching(/restore the last backup/) },
  ]);
}

/** Enough changes for a snapshot. */
async function makeSnapshot(): Promise<void> {
  const writer = createConfigurationWriter(handle.database);
  for (let step = 0; step < 205; step++) {
    await writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, ({ current }) => ({
      ...current!,
      name: `Shop ${step}`,
    }));
  }
  const snapshots = await handle.database.selectFrom('history_snapshots').select('sequence').execute();
  expect(snapshots).toHaveLength(1);
}

describe('the history of every property', () => {
  it('is verified while the database is in use', async () => {
    await makeSnapshot();
    const [check, ...others] = await checkHistory(configurationModel, { path: databasePath(dataDir) });
    expect(others).toEqual([]);
    expect(check).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(
        /^unbroken and equal to the configuration; properties: 2, entries: \d{3}, redacted: 0$/,
      ),
    });
  });

  it('remains verified after the property was deleted', async () => {
    const writer = createConfigurationWriter(handle.database);
    await writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, () => undefined);
    expect(await checkHistory(configurationModel, { path: databasePath(dataDir) })).toMatchObject([
      { status: 'ok' },
    ]);
  });

  it('has a modified entry', async () => {
    const [entry] = await ids(`entity_key = 'banner' and action = 'update'`);
    tamper(`update history set actor_name = 'somebody else' where id = '${entry!.id}'`);
    await expectProblem(`property "shop": entry ${entry!.sequence} (${entry!.id}) was modified`);
  });

  it('has a modified entry whose hash was computed again', async () => {
    const [entry, next] = await ids(`property_id = 'shop' and sequence >= 3`);
    const { database } = handle;
    const rows = await database
      .selectFrom('history')
      .selectAll()
      .where('property_id', '=', 'shop')
      .orderBy('sequence')
      .execute();
    const forged = { ...rows[2]!, comment: 'forged' };
    const row = { ...forged, commitment: commitmentTo(forged, forged.salt!) };
    const hash = entryHash(row, rows[1]!.hash);
    tamper(
      `update history set comment = 'forged', commitment = '${row.commitment}', hash = '${hash}' where id = '${entry!.id}'`,
    );
    await expectProblem(`property "shop": entry ${next!.sequence} (${next!.id}) was modified`);
  });

  it('lacks an entry in the middle, at the start or at the end', async () => {
    const last = (await lastRow(handle.database, 'shop'))!.sequence;
    tamper('create table kept as select * from history');
    const restore = 'delete from history; insert into history select * from kept;';
    tamper(`delete from history where property_id = 'shop' and sequence = 2`);
    await expectProblem('property "shop": entry 2 is missing');
    tamper(`${restore} delete from history where property_id = 'shop' and sequence = 1`);
    await expectProblem('property "shop": entry 1 is missing');
    tamper(`${restore} delete from history where property_id = 'shop' and sequence = ${last}`);
    await expectProblem(
      'property "shop": the stored configuration has other values in the flag "banner": /name',
    );
    tamper(`${restore} delete from history where property_id = 'shop'`);
    await expectProblem('property "shop": all entries are missing');
    tamper(restore);
    expect(await checkHistory(configurationModel, { path: databasePath(dataDir) })).toMatchObject([
      { status: 'ok' },
    ]);
  });

  it('differs from rows that were changed, added, removed or moved by something else', async () => {
    const cases: [string, string][] = [
      [
        `update flags set name = 'Sneaky' where key = 'banner'`,
        'has other values in the flag "banner": /name',
      ],
      [`update flags set version = 9 where key = 'banner'`, 'has version 9 of the flag "banner", not 2'],
      [`update properties set holdout = 50 where id = 'shop'`, 'has other values in the property: /holdout'],
      [
        `update flag_configurations set enabled = 1 where environment_id = 'staging'`,
        'has other values in the flag "new-checkout": /environments/staging/enabled',
      ],
      [`delete from segments where id = 'beta'`, 'does not have the segment "beta"'],
      [
        `insert into goals (property_id, id, name, kind, position, created_at) values ('shop', 'x', 'X', 'count', 9, 1)`,
        'has the goal "x", which nobody created',
      ],
      [
        `update goals set position = 10 where id = 'signup'`,
        'has the goal "signup" in another place of its list',
      ],
      [
        `insert into members values ('shop', 'acc_1', 'admin', 1, 1, 1)`,
        'has the member "acc_1", which nobody created',
      ],
    ];
    const tables = ['properties', 'flags', 'flag_configurations', 'segments', 'goals', 'members'];
    for (const table of tables) tamper(`create table kept_${table} as select * from ${table}`);
    const restore = tables
      .map((table) => `delete from ${table}; insert into ${table} select * from kept_${table};`)
      .join('\n');
    for (const [sql, problem] of cases) {
      tamper(`pragma foreign_keys = off; ${sql}`);
      await expectProblem(`property "shop": the stored configuration ${problem}`);
      tamper(`pragma foreign_keys = off; ${restore}`);
    }
    expect(await checkHistory(configurationModel, { path: databasePath(dataDir) })).toMatchObject([
      { status: 'ok' },
    ]);
  });

  it('differs from a modified snapshot, and from one after its end', async () => {
    await makeSnapshot();
    const { sequence } = await handle.database
      .selectFrom('history_snapshots')
      .select('sequence')
      .executeTakeFirstOrThrow();
    tamper(`create table kept as select * from history_snapshots`);
    tamper(`update history_snapshots set state = replace(state, 'Top banner', 'Tip banner')`);
    await expectProblem(`property "shop": the snapshot after entry ${sequence} was modified`);
    tamper(`update history_snapshots set state = 'not JSON'`);
    await expectProblem(`property "shop": the snapshot after entry ${sequence} was modified`);
    tamper(`update history_snapshots set state = (select state from kept), sequence = 9999`);
    await expectProblem('property "shop": entry 9999 is missing: there is a snapshot of the state after it');
  });
});
