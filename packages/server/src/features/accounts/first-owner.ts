import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { deleteSessions } from './account-session-store.ts';
import { createAccount, findAccountByEmail, hasOwner, updateAccount } from './account-store.ts';
import { PasswordHasher } from './password-hasher.ts';

/** Creates the owner from the settings, unless there is one; returns whether it did. */
export async function ensureFirstOwner(
  database: Database,
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  if (await hasOwner(database)) return false;
  const passwordHash = await new PasswordHasher().hash(password);
  return inTransaction(database, async (transaction) => {
    // Again: another node may have been faster.
    if (await hasOwner(transaction)) return false;
    const existing = await findAccountByEmail(transaction, email);
    if (existing === undefined) await createAccount(transaction, { email, passwordHash, isOwner: true });
    else {
      await updateAccount(transaction, existing.id, { passwordHash, isOwner: true, disabledAt: null });
      // A session from before must not become more powerful.
      await deleteSessions(transaction, existing.id);
    }
    return true;
  });
}
