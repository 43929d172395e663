import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { COLUMN_TYPES } from '../postgres/postgres-dialect.ts';
import { BASELINE_TABLES } from './001-baseline-tables.ts';
import type { Migration } from './migration.ts';

/** The schema of the first release. */
export const baselineMigration: Migration = {
  name: '001-baseline',
  async up(_schema, database) {
    const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter;
    const tables = isPostgres ? withPostgresTypes(BASELINE_TABLES) : BASELINE_TABLES;
    for (const statement of tables.split(';')) await sql.raw(statement).execute(database);
    // A flag can only be called unused if it was counted long enough.
    await sql`insert into usage_start (counting_since) values (${Date.now()})`.execute(database);
    // Only nodes that share a database need to be told; a file is watched.
    if (isPostgres) await notifyNodes(database);
  },
};

/** As the dialect does it with the columns of Kysely. */
const withPostgresTypes = (tables: string) =>
  tables.replaceAll(/\b(?:text|integer)\b/g, (type) => COLUMN_TYPES[type] ?? type);

/** What nodes are told, and when. */
const NOTIFICATIONS = [
  {
    trigger: 'configuration_changed',
    message: 'configuration',
    // Every change of the configuration increments the version of its property.
    changes: ['insert or update or delete on properties'],
  },
  {
    trigger: 'access_changed',
    message: '{"type":"access-changed"}',
    // What may take access away from somebody who is being served: every node ends their streams.
    changes: [
      'delete on account_sessions',
      'delete on access_tokens',
      'update of is_owner, disabled_at on accounts',
    ],
  },
];

async function notifyNodes(database: Kysely<unknown>): Promise<void> {
  await sql`
    create function notify_nodes() returns trigger language plpgsql as $$
    begin
      perform pg_notify('switchyard', tg_argv[0]);
      return null;
    end $$`.execute(database);
  for (const { trigger, message, changes } of NOTIFICATIONS) {
    for (const change of changes) {
      await sql`
        create trigger ${sql.ref(trigger)} after ${sql.raw(change)}
        for each statement execute function notify_nodes(${sql.lit(message)})`.execute(database);
    }
  }
}
