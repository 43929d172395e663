import type { DuckDBConnection } from '@duckdb/node-api';
import { LOCAL_SOURCE } from '../../event-store.ts';
import { EVENTS_PER_REQUEST } from '../../page.ts';
import { execute, inTransaction, rowsOf } from '../sql.ts';
import { numberSessions } from './number-sessions.ts';
import { newHashKey, rekeySessions } from './rekey-sessions.ts';

type Migration = string | ((connection: DuckDBConnection) => Promise<void>);

/**
 * One entry per version, each applied in a transaction. Never change a released entry.
 *
 * Tables refer to sessions by `session_key`, a number in the order of arrival: it takes little on disk, and scans for a
 * session skip most blocks. Only `sessions` has their ids, and the hashes by which they are found; `started_at` is null
 * until the first event is stored.
 * `property`, `goal`, `country` and the like are ids in `terms`; 0 means none. `seq` is the position of the request in
 * its journal, negative in rows from the first version; `event_index` counts the events of the request.
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
  // `unit_key`: the visitor, if known when the row was stored. `names` was later renamed to `visitor_change`, see
  // `VISITOR_CHANGE`; 2 is always safe.
  `ALTER TABLE exposures ADD COLUMN unit_key BIGINT;
   ALTER TABLE exposures ADD COLUMN phase INTEGER;
   ALTER TABLE exposures ADD COLUMN bot BOOLEAN DEFAULT false;
   ALTER TABLE conversions ADD COLUMN unit_key BIGINT;
   ALTER TABLE collects ADD COLUMN names TINYINT DEFAULT 2;`,
  rekeySessions,
  // `source`: id in `sources`; all earlier rows are from the journal of this installation. `event_id`: see
  // `AcceptedConversion.eventId`.
  `CREATE TABLE sources (id SMALLINT NOT NULL, name VARCHAR NOT NULL, watermark BIGINT NOT NULL);
   INSERT INTO sources SELECT 0, '${LOCAL_SOURCE}', watermark FROM store_state WHERE watermark > 0;
   ALTER TABLE store_state DROP COLUMN watermark;
   ALTER TABLE exposures ADD COLUMN source SMALLINT DEFAULT 0;
   ALTER TABLE conversions ADD COLUMN source SMALLINT DEFAULT 0;
   ALTER TABLE conversions ADD COLUMN event_id HUGEINT;
   ALTER TABLE feedback ADD COLUMN source SMALLINT DEFAULT 0;
   ALTER TABLE session_events ADD COLUMN source SMALLINT DEFAULT 0;
   ALTER TABLE collects ADD COLUMN source SMALLINT DEFAULT 0;`,
  numberSessions,
  // See `saved-answers.ts`.
  `CREATE TABLE counted_answers (
     property INTEGER NOT NULL, counted_since BIGINT NOT NULL, saved_at BIGINT NOT NULL, query VARCHAR NOT NULL,
     code VARCHAR NOT NULL, answer VARCHAR NOT NULL);`,
  // See `session-remains.ts`. `expired_bot`: an exposure of a crawler has expired.
  `ALTER TABLE sessions ADD COLUMN expired_bot BOOLEAN;
   CREATE TABLE expired_views (
     property INTEGER NOT NULL, session_key BIGINT NOT NULL, happened_at BIGINT NOT NULL, url VARCHAR,
     referrer VARCHAR, seq BIGINT NOT NULL, source SMALLINT NOT NULL, event_index SMALLINT NOT NULL);`,
  // When the oldest of the dead rows was deleted; null without any.
  `ALTER TABLE store_state ADD COLUMN dead_since BIGINT;
   UPDATE store_state SET dead_since = 0 WHERE dead_rows > 0;`,
];

/**
 * What all migrations together make of an empty file; they take several times as long. A test compares the two.
 */
const CURRENT = `
  CREATE TABLE store_state (dead_rows BIGINT NOT NULL, hash_key VARCHAR NOT NULL, dead_since BIGINT);
  CREATE TABLE terms (id INTEGER NOT NULL, text VARCHAR NOT NULL);
  CREATE TABLE sources (id SMALLINT NOT NULL, name VARCHAR NOT NULL, watermark BIGINT NOT NULL);
  CREATE TABLE sessions (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_hash BIGINT NOT NULL, session_id VARCHAR NOT NULL,
    started_at BIGINT, expired_bot BOOLEAN);
  CREATE TABLE exposures (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL, variation INTEGER NOT NULL,
    happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR, unit_key BIGINT, phase INTEGER,
    bot BOOLEAN DEFAULT false, seq BIGINT NOT NULL, client_at BIGINT, source SMALLINT DEFAULT 0,
    event_index SMALLINT NOT NULL);
  CREATE TABLE conversions (
    property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
    amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR, unit_key BIGINT,
    seq BIGINT NOT NULL, source SMALLINT DEFAULT 0, event_id HUGEINT, event_index SMALLINT NOT NULL);
  CREATE TABLE feedback (
    property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
    feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL,
    seq BIGINT NOT NULL, source SMALLINT DEFAULT 0, event_index SMALLINT NOT NULL);
  CREATE TABLE session_events (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL, happened_at BIGINT NOT NULL,
    name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR, seq BIGINT NOT NULL,
    client_at BIGINT, source SMALLINT DEFAULT 0, event_index SMALLINT NOT NULL);
  CREATE TABLE collects (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL, received_at BIGINT NOT NULL,
    seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL, user_key BIGINT,
    user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL,
    browser INTEGER NOT NULL, os INTEGER NOT NULL, visitor_change TINYINT NOT NULL, source SMALLINT DEFAULT 0);
  CREATE TABLE counted_answers (
    property INTEGER NOT NULL, counted_since BIGINT NOT NULL, saved_at BIGINT NOT NULL, query VARCHAR NOT NULL,
    code VARCHAR NOT NULL, answer VARCHAR NOT NULL);
  CREATE TABLE expired_views (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, happened_at BIGINT NOT NULL, url VARCHAR,
    referrer VARCHAR, seq BIGINT NOT NULL, source SMALLINT NOT NULL, event_index SMALLINT NOT NULL);
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (${MIGRATIONS.length});`;

/** Event tables; each has `property`, `session_key`, `happened_at`, `seq` and `event_index`. */
export const EVENT_TABLES = ['exposures', 'conversions', 'feedback', 'session_events'] as const;

/** SQL for the order of the events of a source, as in `TimelineCursor`. */
export const ORDINAL = `(seq * ${EVENTS_PER_REQUEST} + event_index)`;

/** Tables with data of sessions. */
export const SESSION_TABLES = [...EVENT_TABLES, 'expired_views', 'collects', 'sessions'] as const;

/** Columns with ids of `terms`. */
export const TERM_COLUMNS = {
  sessions: ['property'],
  expired_views: ['property'],
  exposures: ['property', 'split_test', 'variation'],
  conversions: ['property', 'goal'],
  feedback: ['property', 'feedback_type'],
  session_events: ['property'],
  collects: ['property', 'country', 'device', 'browser', 'os'],
  counted_answers: ['property'],
} as const;

/** `type` of a row in `session_events`; a collect without events is stored as a heartbeat. */
export const SESSION_EVENT_TYPES = { pageview: 0, event: 1, identify: 2, heartbeat: 3 } as const;

/** Migrates the schema; fails if the file was written by a newer version. */
export async function migrate(
  connection: DuckDBConnection,
  onUpgrade: (message: string) => void = () => {},
): Promise<void> {
  if (await isEmpty(connection)) return createTables(connection);
  await execute(connection, 'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
  const version = await readSchemaVersion(connection);
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

async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  const rows = await rowsOf(connection, 'SELECT 1 FROM duckdb_tables() LIMIT 1');
  return rows.length === 0;
}

function createTables(connection: DuckDBConnection): Promise<void> {
  return inTransaction(connection, async () => {
    await connection.run(CURRENT);
    await execute(connection, 'INSERT INTO store_state VALUES (0, $1, NULL)', [newHashKey()]);
  });
}

/** Reads the schema version; fails if it is newer than this code. */
export async function readSchemaVersion(connection: DuckDBConnection): Promise<number> {
  const rows = await rowsOf<[number]>(connection, 'SELECT version FROM schema_version');
  const version = rows[0]?.[0] ?? 0;
  if (version <= MIGRATIONS.length) return version;
  throw Object.assign(
    new Error(
      `The event store was written by a newer version of Switchyard (it has schema ${version}, this version supports ` +
        `up to ${MIGRATIONS.length}). Run that version, or restore the backup made before the upgrade.`,
    ),
    { code: 'STORE_TOO_NEW' },
  );
}
