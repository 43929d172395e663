import { PERSON_NAME } from '@switchyard/core/api/accounts';
import { recordAudited } from '../../configuration/audit/audit-log.ts';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { SYSTEM } from '../../configuration/property/actor.ts';
import { deleteTokens } from './access-token-store.ts';
import type { AccountServices } from './account-services.ts';
import { deleteSessions } from './account-session-store.ts';
import {
  createAccount,
  findAccount,
  findAccountByEmail,
  normalizeEmail,
  type StoredAccount,
} from './account-store.ts';
import type { OidcIdentity, OidcSettings } from './oidc-client.ts';
import { removeTwoFactor } from './two-factor.ts';

/** The account of somebody whom the provider vouches for; undefined if they may not sign in. */
export async function oidcAccount(
  { database, members, properties }: Pick<AccountServices, 'database' | 'members' | 'properties'>,
  settings: OidcSettings,
  identity: OidcIdentity,
): Promise<StoredAccount | undefined> {
  const linked = await findLinked(database, identity);
  if (linked !== undefined) {
    const account = await findAccountByEmail(database, linked.email);
    return account?.disabledAt === null ? account : undefined;
  }
  const existing = await findAccountByEmail(database, identity.email);
  if (existing !== undefined) return linkAccount(database, existing, identity);
  const domain = normalizeEmail(identity.email).split('@').at(-1) ?? '';
  if (!settings.allowedDomains.includes(domain)) return undefined;
  const account = await createLinked(database, identity);
  // Somebody with this email was faster, perhaps the same person in another tab.
  if (account === undefined) return oidcAccount({ database, members, properties }, settings, identity);
  if (settings.defaultRole !== undefined) {
    for (const { id } of properties()) {
      await members.saveMember(id, account.id, settings.defaultRole, { actor: SYSTEM, via: 'dashboard' });
    }
  }
  return account;
}

function findLinked(database: Database, { issuer, subject }: OidcIdentity) {
  return database
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('oidc_issuer', '=', issuer)
    .where('oidc_subject', '=', subject)
    .executeTakeFirst();
}

/**
 * Links an existing account at its first sign-in with the provider. Nobody has verified its email until now, so
 * whoever created it may be somebody else: its password, sessions and tokens end. Owners keep the password, to get in
 * when the provider fails.
 */
async function linkAccount(
  database: Database,
  account: StoredAccount,
  identity: OidcIdentity,
): Promise<StoredAccount | undefined> {
  if (account.disabledAt !== null) return undefined;
  const { id, isOwner } = account;
  return inTransaction(database, async (transaction) => {
    if (!(await link(transaction, id, identity))) return undefined;
    if (!isOwner) {
      await transaction.updateTable('accounts').set({ password_hash: null }).where('id', '=', id).execute();
      await removeTwoFactor(transaction, id);
      await deleteTokens(transaction, id);
    }
    await deleteSessions(transaction, id);
    return findAccount(transaction, id);
  });
}

/** In the caller's transaction. Returns false if the account is linked to another identity. */
async function link(database: Database, id: string, { issuer, subject }: OidcIdentity): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('accounts')
    .set({ oidc_issuer: issuer, oidc_subject: subject })
    .where('id', '=', id)
    .where('oidc_subject', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await recordAudited(database, 'account', [id]);
  return true;
}

/** Undefined if there is an account with this email by now. */
function createLinked(database: Database, identity: OidcIdentity): Promise<StoredAccount | undefined> {
  const { email, name } = identity;
  return inTransaction(database, async (transaction) => {
    if (await findAccountByEmail(transaction, email)) return undefined;
    const account = await createAccount(transaction, {
      email,
      name: name !== undefined && new RegExp(PERSON_NAME, 'u').test(name) ? name : undefined,
      passwordHash: null,
      isOwner: false,
    });
    await link(transaction, account.id, identity);
    return account;
  });
}
