import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, inTransaction, rowsOf } from '../sql.ts';
import { rekeySessions } from './rekey-sessions.ts';

type Migration = string | ((connection: DuckDBConnection) => Promise<void>);

/**
 * One entry per version, each applied in a transaction; an entry that was released never changes.
 *
 * A session is a 64-bit key in every table; its id stands in `sessions` alone, so an event has no text to write
 * and to join. `property`, `goal`, `country` and the like are ids of `terms`; 0 is no term.
 */
const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE store_state (watermark BIGINT NOT NULL, salt BIGINT NOT NULL, dead_rows BIGINT NOT NULL);
   CREATE TABLE terms (id INTEGER NOT NULL, text VARCHAR NOT NULL);
   CREATE TABLE sessions (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_id VARCHAR NOT NULL, started_at BIGINT NOT NULL);
   CREATE TABLE exposures (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL, variation INTEGER NOT NULL,
     happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR);
   CREATE TABLE conversions (
     property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
     amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR);
   CREATE TABLE feedback (
     property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
     feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL);
   CREATE TABLE session_events (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL, happened_at BIGINT NOT NULL,
     name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR);
   CREATE TABLE collects (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL, received_at BIGINT NOT NULL,
     seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL, user_key BIGINT,
     user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL,
     browser INTEGER NOT NULL, os INTEGER NOT NULL);`,
  // `unit_key`: the visitor as far as it was known when the row was stored. `names` is `visitor_change` today: see
  // `VISITOR_CHANGE`; 2 is always right.
  `ALTER TABLE exposures ADD COLUMN unit_key BIGINT;
   ALTER TABLE exposures ADD COLUMN phase INTEGER;
   ALTER TABLE exposures ADD COLUMN bot BOOLEAN DEFAULT false;
   ALTER TABLE conversions ADD COLUMN unit_key BIGINT;
   ALTER TABLE collects ADD COLUMN names TINYINT DEFAULT 2;`,
  rekeySessions,
];

/** Tables whose rows are events: each has `property`, `session_key`, `happened_at` and `ordinal`. */
export const EVENT_TABLES = ['exposures', 'conversions', 'feedback', 'session_events'] as const;

/** Everything that is about a session. */
export const SESSION_TABLES = [...EVENT_TABLES, 'collects', 'sessions'] as const;

/** `type` of a row in `session_events`; a collect without events leaves a sign of life, so that it is an event. */
export const SESSION_EVENT_TYPES = { pageview: 0, event: 1, identify: 2, sign: 3 } as const;

/** Brings the schema up to date; refuses a file that a newer version has written. */
export async function migrate(
  connection: DuckDBConnection,
  onUpgrade: (message: string) => void = () => {},
): Promise<void> {
  await execute(connection, 'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
  const version = await knownVersionOf(connection);
  if (version > 0 && version < MIGRATIONS.length) {
    onUpgrade(
      `Upgrading the event store from schema ${version} to ${MIGRATIONS.length}; this can take minutes.`,
    );
  }
  for (let next = version; next < MIGRATIONS.length; next++) {
    await inTransaction(connection, async () => {
      const migration = MIGRATIONS[next] as Migration;
      if (typeof migration === 'string') await connection.run(migration);
      else await migration(connection);
      await connection.run('DELETE FROM schema_version');
      await execute(connection, 'INSERT INTO schema_version VALUES ($1)', [next + 1]);
    });
  }
}

/** The version of the schema; refuses one that this code does not know. */
export async function knownVersionOf(connection: DuckDBConnection): Promise<number> {
  const rows = await rowsOf<[number]>(connection, 'SELECT version FROM schema_version');
  const version = rows[0]?.[0] ?? 0;
  if (version <= MIGRATIONS.length) return version;
  throw Object.assign(
    new Error(
      `The event store was written by a newer version of Switchyard (it has schema ${version}, this version knows ` +
        `${MIGRATIONS.length}). Run that version, or restore the backup made before the upgrade.`,
    ),
    { code: 'STORE_TOO_NEW' },
  );
}
