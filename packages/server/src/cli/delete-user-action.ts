import { configurationModel } from '../definitions.ts';
import { ApiError } from '../errors.ts';
import { deleteAccount } from '../features/accounts/delete-account.ts';
import { CliError } from './cli-error.ts';
import { operatorWriter } from './operator-writer.ts';
import { requireAccount, type UserOptions } from './user-actions.ts';
import { waitForServerReload, withExistingDatabase } from './with-database.ts';

export interface DeleteUserOptions extends UserOptions {
  json?: boolean;
}

export async function deleteUser({ dataDir, email, json }: DeleteUserOptions): Promise<void> {
  await withExistingDatabase(dataDir, async (handle) => {
    const { id } = await requireAccount(handle.database, email);
    const { writer, by } = operatorWriter(handle.database);
    const parts = { writer, model: configurationModel, scrub: () => handle.scrub() };
    const deleted = await deleteAccount(parts, id, by).catch((error: unknown) => {
      throw error instanceof ApiError ? new CliError(error.message) : error;
    });
    await waitForServerReload();
    if (json) {
      console.log(JSON.stringify(deleted, undefined, 2));
      return;
    }
    console.log(`Deleted ${email}. The history calls it "deleted account ${deleted.number}".`);
    for (const { propertyId, items } of deleted.remaining) {
      console.log(`The address remains in the configuration of ${propertyId}: ${items.join(', ')}.`);
    }
  });
}
