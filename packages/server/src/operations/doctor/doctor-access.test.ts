import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import {
  type DatabaseSource,
  databasePath,
  openDatabase,
} from '../../configuration/database/open-database.ts';
import { OPERATOR } from '../../configuration/property/actor.ts';
import { createToken, deleteToken } from '../../features/accounts/access-token-store.ts';
import { changeAccount } from '../../features/accounts/account-administration.ts';
import { createAccount } from '../../features/accounts/account-store.ts';
import { createMemberWriter } from '../../features/accounts/member-writer.ts';
import { setPassword } from '../../features/accounts/set-password.ts';
import { createConfigurationWriter } from '../../start/definitions.ts';
import { checkAccess } from './doctor-access.ts';

const BY = { actor: OPERATOR, via: 'cli' } as const;

interface Opened {
  handle: DatabaseHandle;
  source: DatabaseSource;
  close: () => Promise<void>;
}

async function openSqlite(): Promise<Opened> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-access-'));
  const handle = await openDatabase(dataDir);
  const close = async () => {
    await handle.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { handle, source: { path: databasePath(dataDir) }, close };
}

async function openPostgres(): Promise<Opened> {
  const { url, remove } = await createPostgresDatabase();
  const handle = await openDatabase('', { url, patient: true });
  const close = async () => {
    await handle.close();
    await remove();
  };
  return { handle, source: { url }, close };
}

const ENGINES = [
  { name: 'SQLite', open: openSqlite },
  ...(hasPostgres() ? [{ name: 'PostgreSQL', open: openPostgres }] : []),
];

describe.each(ENGINES)('$name', ({ open }) => {
  let opened: Opened;
  let accountId: string;
  let otherId: string;
  let tokenId: string;
  beforeEach(async () => {
    opened = await open();
    const { database } = opened.handle;
    await provisionDatabase(database, ...(SAMPLE.properties as never[]));
    await inTransaction(database, async (transaction) => {
      const base = { passwordHash: 'hash', isOwner: true };
      accountId = (await createAccount(transaction, { ...base, email: 'ada@shop.example' })).id;
      otherId = (await createAccount(transaction, { ...base, email: 'bob@shop.example', isOwner: false })).id;
      const wanted = { name: 'CI', role: 'viewer' as const, expiresAt: Date.now() + 1e6 };
      tokenId = (await createToken(transaction, accountId, 'sy_', wanted)).token.id;
    });
    await createMemberWriter(createConfigurationWriter(database)).saveMember('shop', otherId, 'viewer', BY);
  });
  afterEach(() => opened.close());

  const tamper = (text: string) => sql.raw(text).execute(opened.handle.database);
  const check = () => checkAccess(opened.source);
  const problems = async () => (await check()).map(({ status, detail }) => `${status} ${detail}`);

  it('is as it was saved, after every kind of change', async () => {
    const { database } = opened.handle;
    const writer = createConfigurationWriter(database);
    const members = createMemberWriter(writer);
    await changeAccount(database, otherId, { owner: true });
    await changeAccount(database, accountId, { disabled: true });
    await setPassword(database, otherId, 'another hash', { withoutTwoFactor: true });
    await members.saveMember('shop', otherId, 'admin', BY);
    await members.removeMember('shop', otherId, BY);
    await deleteToken(database, accountId, tokenId);
    const [ok] = await check();
    expect(ok?.detail).toMatch(
      /keys: \d+, members: 0, accounts and owners: 2, access tokens: 0, entries of the log: \d+$/,
    );
    await writer.changeProperty('shop', BY, () => undefined);
    expect(await check()).toMatchObject([{ name: 'Access', status: 'ok' }]);
  });

  it('notices a replaced hash of a key', async () => {
    const key = await opened.handle.database
      .selectFrom('api_keys')
      .select('id')
      .where('kind', '=', 'secret')
      .executeTakeFirstOrThrow();
    await tamper(`update api_keys set hash = 'of the intruder' where id = '${key.id}'`);
    expect(await problems()).toEqual([`fail API key ${key.id} was changed`]);
  });

  it('notices a new owner, a changed role, a changed password and a changed token', async () => {
    await tamper(`update accounts set is_owner = 1 where id = '${otherId}'`);
    expect(await problems()).toEqual([`fail account ${otherId} was changed`]);
    await tamper(`update accounts set is_owner = 0, password_hash = 'x' where id = '${otherId}'`);
    expect(await problems()).toEqual([`fail account ${otherId} was changed`]);
    await tamper(`update accounts set password_hash = 'hash' where id = '${otherId}'`);
    await tamper(`update members set role = 'admin'`);
    await tamper(`update access_tokens set role = 'owner'`);
    expect(await problems()).toEqual([
      `fail membership shop/${otherId} was changed`,
      `fail access token ${tokenId} was changed`,
    ]);
  });

  it('notices what was added or deleted', async () => {
    await tamper(
      `insert into accounts (id, email, name, is_owner, created_at) values ('acc_x', 'x@x.example', 'x', 1, 1)`,
    );
    await tamper('delete from members');
    expect(await problems()).toEqual([
      `fail membership shop/${otherId} was deleted`,
      'fail account acc_x was added',
    ]);
  });

  it('notices a changed, shortened or emptied log', async () => {
    await tamper(`update audit_log set digest = 'x' where sequence = 2`);
    expect(await problems()).toEqual(['fail entry 2 was modified']);
    await tamper('delete from audit_log where sequence = 2');
    expect(await problems()).toEqual(['fail entry 2 is missing']);
    await tamper('delete from audit_log');
    expect((await problems())[0]).toMatch(/^fail API key \S+ was added$/);
  });
});
