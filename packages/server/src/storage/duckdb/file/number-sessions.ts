import type { DuckDBConnection } from '@duckdb/node-api';
import { execute } from '../sql.ts';

const TABLES = {
  exposures: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL,
    variation INTEGER NOT NULL, happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR,
    unit_key BIGINT, phase INTEGER, bot BOOLEAN DEFAULT false, seq BIGINT NOT NULL, client_at BIGINT,
    source SMALLINT DEFAULT 0, event_index SMALLINT NOT NULL`,
  conversions: `property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
    amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR, unit_key BIGINT,
    seq BIGINT NOT NULL, source SMALLINT DEFAULT 0, event_id HUGEINT, event_index SMALLINT NOT NULL`,
  feedback: `property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
    feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL,
    seq BIGINT NOT NULL, source SMALLINT DEFAULT 0, event_index SMALLINT NOT NULL`,
  session_events: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL,
    happened_at BIGINT NOT NULL, name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR,
    seq BIGINT NOT NULL, client_at BIGINT, source SMALLINT DEFAULT 0, event_index SMALLINT NOT NULL`,
  collects: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL, received_at BIGINT NOT NULL,
    seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL, user_key BIGINT,
    user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL, browser INTEGER NOT NULL,
    os INTEGER NOT NULL, visitor_change TINYINT NOT NULL, source SMALLINT DEFAULT 0`,
  sessions: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_hash BIGINT NOT NULL,
    session_id VARCHAR NOT NULL, started_at BIGINT`,
};

/** A row without a session keeps its old key, so that the migration never fails. */
const NUMBERED = 'coalesce(new_key, session_key) AS session_key';

/**
 * Replaces the keys of sessions, which were hashes, by numbers in the order of arrival, and `ordinal` by `seq` and
 * `event_index`: together they took half of the file. Copies the tables: a file whose log contains the change of a
 * column's type with an expression cannot be opened again (DuckDB 1.5).
 */
export async function numberSessions(connection: DuckDBConnection): Promise<void> {
  // Grouped, so that no event can be copied twice.
  await connection.run(
    'CREATE TABLE session_numbers AS SELECT session_key, min(rowid) + 1 AS new_key FROM sessions GROUP BY session_key',
  );
  for (const [table, columns] of Object.entries(TABLES)) {
    await connection.run(`CREATE TABLE new_${table} (${columns})`);
    // In the order of the rows, because zone maps depend on it.
    const rows = await execute(
      connection,
      `INSERT INTO new_${table} SELECT ${selectedOf(table)} FROM ${table} AS old
         LEFT JOIN session_numbers USING (session_key) ORDER BY old.rowid`,
    );
    await connection.run(`DROP TABLE ${table}; ALTER TABLE new_${table} RENAME TO ${table}`);
    // Their blocks stay in the file until it is rewritten.
    await execute(connection, 'UPDATE store_state SET dead_rows = dead_rows + $1', [rows]);
  }
  await connection.run('DROP TABLE session_numbers');
}

function selectedOf(table: string): string {
  if (table === 'sessions') return 'property, new_key, session_key, session_id, started_at';
  if (table === 'collects') return `old.* REPLACE (${NUMBERED})`;
  // The shift rounds down, also the negative ordinals of the first version.
  return `old.* REPLACE (${NUMBERED}, ordinal >> 9 AS ordinal), ordinal & 511`;
}
