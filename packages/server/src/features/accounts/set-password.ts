import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { deleteSessions } from './account-session-store.ts';
import { updateAccount } from './account-store.ts';
import { removeTwoFactor } from './two-factor.ts';

/** Sets a new password, and ends all sessions with it: both or neither. */
export function setPassword(
  database: Database,
  accountId: string,
  passwordHash: string,
  { withoutTwoFactor = false } = {},
): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await updateAccount(transaction, accountId, { passwordHash });
    if (withoutTwoFactor) await removeTwoFactor(transaction, accountId);
    await deleteSessions(transaction, accountId);
  });
}
