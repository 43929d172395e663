import { join } from 'node:path';
import { DuckDBInstance } from './duckdb.js';

/** Makes a stopped server forget all results that it has counted; earlier versions do not save any. */
export async function deleteSavedAnswers(dataDir) {
  const instance = await DuckDBInstance.create(join(dataDir, 'events.duckdb'));
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    "SELECT 1 FROM duckdb_tables() WHERE table_name = 'counted_answers'",
  );
  if (reader.getRows().length > 0) await connection.run('DELETE FROM counted_answers');
  connection.closeSync();
  instance.closeSync();
}
