import { PostgresAdapter, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** What may take access away from somebody who is being served. */
const CHANGES = [
  'delete on account_sessions',
  'delete on access_tokens',
  'update of is_owner, disabled_at on accounts',
];

/** Every node ends the streams of those who may no longer read. */
export const accessNotificationsMigration: Migration = {
  name: '023-access-notifications',
  async up(_schema, database) {
    if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return;
    await sql`
      create function notify_of_access() returns trigger language plpgsql as $$
      begin
        perform pg_notify('switchyard', '{"type":"access-changed"}');
        return null;
      end $$`.execute(database);
    for (const change of CHANGES) {
      await sql`
        create trigger access_changed after ${sql.raw(change)}
        for each statement execute function notify_of_access()`.execute(database);
    }
  },
};
