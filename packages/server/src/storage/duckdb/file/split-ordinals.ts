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
};

/**
 * Replaces `ordinal` by `seq` and `event_index`, which take less on disk. Copies the tables: a file whose log contains
 * the change of a column's type with an expression cannot be opened again (DuckDB 1.5).
 */
export async function splitOrdinals(connection: DuckDBConnection): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES)) {
    // Keeps the order of rows. The shift rounds down, also the negative ordinals of the first version.
    await connection.run(`CREATE TABLE new_${table} (${columns})`);
    const rows = await execute(
      connection,
      `INSERT INTO new_${table} SELECT * REPLACE (ordinal >> 9 AS ordinal), ordinal & 511 FROM ${table}`,
    );
    await connection.run(`DROP TABLE ${table}; ALTER TABLE new_${table} RENAME TO ${table}`);
    // Their blocks stay in the file until it is rewritten.
    await execute(connection, 'UPDATE store_state SET dead_rows = dead_rows + $1', [rows]);
  }
}
