import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../configuration/database/database.ts';
import { createSession, findSession, listSessions } from './account-session-store.ts';
import { createAccount, findAccount, type StoredAccount, updateAccount } from './account-store.ts';
import { BrowserSessions } from './browser-sessions.ts';
import { ensureFirstOwner } from './first-owner.ts';
import { setPassword } from './set-password.ts';
import { beginEnrolment, confirmEnrolment } from './two-factor.ts';

describe.each(engines())('$name', (engine) => {
  let configuration: MemoryConfiguration;
  let ada: StoredAccount;
  beforeEach(async () => {
    configuration = await openMemoryConfiguration(engine);
    await configuration.apply({});
    ada = await newAccount('ada@shop.example');
  });
  afterEach(() => configuration.handle.close());

  const database = () => configuration.handle.database;
  const newAccount = (email: string) =>
    createAccount(database(), { email, passwordHash: 'the old hash', isOwner: false });
  const FROM = { userAgent: 'test', address: '192.0.2.1' };

  async function startSession(account: StoredAccount): Promise<string | undefined> {
    let cookie: string | undefined;
    const request = { headers: {}, ip: FROM.address, protocol: 'http' } as FastifyRequest;
    const reply = {
      header: (_name: string, value: string) => {
        cookie = /=([\w-]+);/.exec(value)?.[1];
      },
    } as unknown as FastifyReply;
    await new BrowserSessions(database(), undefined, async () => {}).start(request, reply, account);
    return cookie;
  }

  it('a sign-in that was checked with the password from before gets no session', async () => {
    await startSession(ada);
    await setPassword(database(), ada.id, 'the new hash');
    expect(await listSessions(database(), ada.id)).toEqual([]);
    await expect(startSession(ada)).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await listSessions(database(), ada.id)).toEqual([]);
    const current = (await findAccount(database(), ada.id))!;
    expect(await findSession(database(), (await startSession(current))!)).toMatchObject({
      accountId: ada.id,
    });
  });

  it('a sign-in that was checked before the account was disabled gets no session', async () => {
    await updateAccount(database(), ada.id, { disabledAt: 5 });
    await expect(startSession(ada)).rejects.toMatchObject({ code: 'sign_in_failed' });
    await updateAccount(database(), ada.id, { disabledAt: null });
    expect(await listSessions(database(), ada.id)).toEqual([]);
  });

  it('an account that the settings make the first owner loses its sessions', async () => {
    const cookie = await createSession(database(), ada.id, FROM);
    expect(await ensureFirstOwner(database(), { email: ada.email, password: 'a long password' })).toBe(true);
    expect((await findAccount(database(), ada.id))!.isOwner).toBe(true);
    expect(await findSession(database(), cookie)).toBeUndefined();
  });

  it('two-factor is not turned on with a secret that was replaced meanwhile', async () => {
    const { secret } = await beginEnrolment(database(), ada);
    const enrolling = (await findAccount(database(), ada.id))!;
    const code = new TOTP({ secret }).generate();
    // Started again between the check of the code and the transaction.
    const begun = {
      execute: async (run: (transaction: Database) => Promise<unknown>) => {
        await beginEnrolment(database(), enrolling);
        return database().transaction().execute(run);
      },
    };
    const interrupted = {
      updateTable: database().updateTable.bind(database()),
      transaction: () => ({ setIsolationLevel: () => begun }),
    };
    expect(await confirmEnrolment(interrupted as unknown as Database, enrolling, code)).toBeUndefined();
    expect((await findAccount(database(), ada.id))!.twoFactor).toBe(false);
  });
});
