import { stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { execute } from './sql.ts';

/** DuckDB checkpoints when its log is this large; with the default of 16 MiB, that would happen during most backups. */
const HELD_LOG_SIZE = '4GiB';

/**
 * Holds off checkpoints. Until the next one, DuckDB only adds to the file and its log, so copies of the file and of the
 * present part of the log are what a crash at this moment would leave behind. Returns the size of the log.
 */
export async function holdCheckpoints(connection: DuckDBConnection, file: string): Promise<number> {
  await execute(connection, `SET GLOBAL checkpoint_threshold = '${HELD_LOG_SIZE}'`);
  // Not opened: closing any descriptor of the file would release DuckDB's lock on it.
  const log = await stat(`${file}.wal`).catch(() => undefined);
  return log?.size ?? 0;
}

export async function releaseCheckpoints(connection: DuckDBConnection): Promise<void> {
  await execute(connection, 'RESET GLOBAL checkpoint_threshold');
}
