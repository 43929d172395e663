import { join } from 'node:path';
import { DuckDBInstance } from './duckdb.js';

/** Makes a stopped server forget all results that it has counted. */
export async function deleteSavedAnswers(dataDir) {
  const instance = await DuckDBInstance.create(join(dataDir, 'events.duckdb'));
  const connection = await instance.connect();
  await connection.run('DELETE FROM counted_answers');
  connection.closeSync();
  instance.closeSync();
}
