import { sql } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';

/** Rows of one statement. */
const CHUNK_SIZE = 500;

/** Records when API keys or access tokens were used. */
export async function saveLastUsed(
  database: Database,
  credentialIds: readonly string[],
  at: number,
): Promise<void> {
  await inLockingTransaction(database, async (transaction) => {
    // In order, so that two processes never wait for each other.
    const ids = [...credentialIds].sort();
    for (let start = 0; start < ids.length; start += CHUNK_SIZE) {
      const chunk = ids.slice(start, start + CHUNK_SIZE);
      await transaction
        .insertInto('credential_usage')
        .values(chunk.map((id) => ({ credential_id: id, last_used_at: at })))
        // Another process may have recorded a later use.
        .onConflict((conflict) =>
          conflict.column('credential_id').doUpdateSet({
            last_used_at: sql`case when excluded.last_used_at > credential_usage.last_used_at then excluded.last_used_at else credential_usage.last_used_at end`,
          }),
        )
        .execute();
    }
  });
}

/** When keys or tokens were last used, by id; those that were never used are missing. */
export async function lastUsedOf(
  database: Database,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const lastUsed = new Map<string, number>();
  for (let start = 0; start < credentialIds.length; start += CHUNK_SIZE) {
    const rows = await database
      .selectFrom('credential_usage')
      .selectAll()
      .where('credential_id', 'in', credentialIds.slice(start, start + CHUNK_SIZE))
      .execute();
    for (const row of rows) lastUsed.set(row.credential_id, row.last_used_at);
  }
  return lastUsed;
}

/** Deletes the records of API keys that no longer exist. */
export async function deleteUsageOfDeletedKeys(database: Database): Promise<void> {
  await database
    .deleteFrom('credential_usage')
    .where('credential_id', 'like', 'key%')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('api_keys').select('id').whereRef('api_keys.id', '=', 'credential_usage.credential_id'),
        ),
      ),
    )
    .execute();
}
