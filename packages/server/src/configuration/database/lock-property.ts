import { PostgresAdapter, sql } from 'kysely';
import type { Database } from './database.ts';

/** Distinguishes these advisory locks from all others. */
const NEW_PROPERTY = 1;

/** Until the end of the transaction, no other process changes the property or anything that belongs to it. */
export async function lockProperty(database: Database, propertyId: string): Promise<void> {
  const row = database.selectFrom('properties').select('id').where('id', '=', propertyId).forNoKeyUpdate();
  if ((await row.executeTakeFirst()) !== undefined) return;
  if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return;
  // There is no row to lock. Whoever waits here then finds the row of the process that has created the property.
  await sql`select pg_advisory_xact_lock(${NEW_PROPERTY}, hashtext(${propertyId}))`.execute(database);
  await row.execute();
}
