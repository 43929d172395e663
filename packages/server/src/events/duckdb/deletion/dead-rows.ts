import type { DuckDBConnection } from '@duckdb/node-api';
import { execute } from '../connection/sql.ts';

/** Counts deleted rows, whose bytes stay in the file until it is rewritten. */
export async function addDeadRows(connection: DuckDBConnection, rows: number): Promise<void> {
  await execute(
    connection,
    'UPDATE store_state SET dead_rows = dead_rows + $1, dead_since = coalesce(dead_since, $2)',
    [rows, Date.now()],
  );
}
