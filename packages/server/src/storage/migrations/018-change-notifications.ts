import { PostgresAdapter, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Every change of the configuration increments the version of its property. */
export const changeNotificationsMigration: Migration = {
  name: '018-change-notifications',
  async up(_schema, database) {
    // Only nodes that share a database need to be told; a file is watched.
    if (!(database.getExecutor().adapter instanceof PostgresAdapter)) return;
    await sql`
      create function notify_of_configuration() returns trigger language plpgsql as $$
      begin
        perform pg_notify('switchyard', 'configuration');
        return null;
      end $$`.execute(database);
    await sql`
      create trigger configuration_changed after insert or update or delete on properties
      for each statement execute function notify_of_configuration()`.execute(database);
  },
};
