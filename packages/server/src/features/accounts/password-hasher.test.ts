import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openMemoryDatabase } from '../../configuration/database/open-database.ts';
import { createAccount, updateAccount } from './account-store.ts';
import { PasswordHasher } from './password-hasher.ts';
import { signIn } from './sign-in.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await openMemoryDatabase();
});
afterAll(() => handle.close());

it('hashes with Argon2id and the OWASP parameters', async () => {
  const hash = await new PasswordHasher().hash('correct horse battery staple');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

it('unknown, disabled and password-less accounts take the same effort as a wrong password', async () => {
  const { database } = handle;
  const hasher = new PasswordHasher();
  const passwordHash = await hasher.hash('correct horse battery staple');
  const known = { passwordHash, isOwner: false };
  await createAccount(database, { ...known, email: 'known@shop.example' });
  await createAccount(database, { email: 'oidc@shop.example', passwordHash: null, isOwner: false });
  const disabled = await createAccount(database, { ...known, email: 'disabled@shop.example' });
  await updateAccount(database, disabled.id, { disabledAt: Date.now() });
  const parts = { database, hasher, throttle: new SignInThrottle() };
  for (const email of ['known', 'unknown', 'oidc', 'disabled']) {
    const before = hasher.runs;
    const password = email === 'disabled' ? 'correct horse battery staple' : 'wrong';
    const attempt = signIn(parts, { email: `${email}@shop.example`, password }, '192.0.2.1');
    await expect(attempt).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect([email, hasher.runs - before]).toEqual([email, 1]);
  }
});

it('refuses more than a few waiting hashings, and recovers', async () => {
  const hasher = new PasswordHasher();
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => hasher.verify(null, 'guess')));
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', headers: { 'retry-after': '1' } } });
  expect(await hasher.verify(null, 'guess')).toBe(false);
});
