import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { EVENTS_PER_REQUEST } from '../../store/page.ts';
import { execute, inTransaction, rowsOf } from '../connection/sql.ts';

/** To change the tables of a release, increment it, and add the step from the version before. */
const SCHEMA_VERSION = 1;

/**
 * Tables refer to sessions by `session_key`, a number in the order of arrival: it takes little on disk, and scans for a
 * session skip most blocks. Only `sessions` has their ids, and the hashes by which they are found; `started_at` is null
 * until the first event is stored.
 * `property`, `goal`, `country` and the like are ids in `terms`; 0 means none. `seq` is the position of the request in
 * the journal of its `source`; `event_index` counts the events of the request. `unit_key`: the visitor, if known when
 * the row was stored. `event_id`: see `AcceptedConversion.eventId`. `visitor_change`: see `VISITOR_CHANGE`.
 * `dead_since`: when the oldest of the dead rows was deleted; null without any. `counted_answers`: see
 * `saved-answers.ts`. `expired_views` and `expired_bot`, which is true if an exposure of a crawler has expired: see
 * `session-remains.ts`.
 */
const TABLES = `
  CREATE TABLE store_state (dead_rows BIGINT NOT NULL, hash_key VARCHAR NOT NULL, dead_since BIGINT);
  CREATE TABLE terms (id INTEGER NOT NULL, text VARCHAR NOT NULL);
  CREATE TABLE sources (id SMALLINT NOT NULL, name VARCHAR NOT NULL, watermark BIGINT NOT NULL);
  CREATE TABLE sessions (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_hash BIGINT NOT NULL, session_id VARCHAR NOT NULL,
    started_at BIGINT, expired_bot BOOLEAN);
  CREATE TABLE exposures (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL, variation INTEGER NOT NULL,
    happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR, unit_key BIGINT, phase INTEGER,
    bot BOOLEAN NOT NULL, seq BIGINT NOT NULL, client_at BIGINT, source SMALLINT NOT NULL,
    event_index SMALLINT NOT NULL);
  CREATE TABLE conversions (
    property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
    amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR, unit_key BIGINT,
    seq BIGINT NOT NULL, source SMALLINT NOT NULL, event_id HUGEINT, event_index SMALLINT NOT NULL);
  CREATE TABLE feedback (
    property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
    feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL,
    seq BIGINT NOT NULL, source SMALLINT NOT NULL, event_index SMALLINT NOT NULL);
  CREATE TABLE session_events (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL, happened_at BIGINT NOT NULL,
    name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR, seq BIGINT NOT NULL,
    client_at BIGINT, source SMALLINT NOT NULL, event_index SMALLINT NOT NULL);
  CREATE TABLE collects (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL, received_at BIGINT NOT NULL,
    seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL, user_key BIGINT,
    user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL,
    browser INTEGER NOT NULL, os INTEGER NOT NULL, visitor_change TINYINT NOT NULL, source SMALLINT NOT NULL);
  CREATE TABLE counted_answers (
    property INTEGER NOT NULL, counted_since BIGINT NOT NULL, saved_at BIGINT NOT NULL, query VARCHAR NOT NULL,
    code VARCHAR NOT NULL, answer VARCHAR NOT NULL);
  CREATE TABLE expired_views (
    property INTEGER NOT NULL, session_key BIGINT NOT NULL, happened_at BIGINT NOT NULL, url VARCHAR,
    referrer VARCHAR, seq BIGINT NOT NULL, source SMALLINT NOT NULL, event_index SMALLINT NOT NULL);
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (${SCHEMA_VERSION});`;

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

/** Creates the tables of a new file; fails if the file has those of another version. */
export async function prepareSchema(connection: DuckDBConnection): Promise<void> {
  const [row] = await rowsOf(connection, 'SELECT 1 FROM duckdb_tables() LIMIT 1');
  if (row !== undefined) return assertKnownSchema(connection);
  await inTransaction(connection, async () => {
    await connection.run(TABLES);
    const hashKey = randomBytes(16).toString('hex');
    await execute(connection, 'INSERT INTO store_state VALUES (0, $1, NULL)', [hashKey]);
  });
}

export async function assertKnownSchema(connection: DuckDBConnection): Promise<void> {
  const rows = await rowsOf<[number]>(connection, 'SELECT version FROM schema_version');
  const version = rows[0]?.[0] ?? 0;
  if (version === SCHEMA_VERSION) return;
  throw Object.assign(
    new Error(
      `The event store was not written by this version of Switchyard (it has schema ${version}, this version supports ` +
        `${SCHEMA_VERSION}). Run the version that wrote it, or restore the backup made before the upgrade.`,
    ),
    { code: 'UNKNOWN_SCHEMA' },
  );
}
