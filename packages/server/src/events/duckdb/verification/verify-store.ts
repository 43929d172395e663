import type { DuckDbDatabase } from '../connection/duckdb-database.ts';
import { listRowGroups, readRowGroup } from './store-inspection.ts';

/** Row groups, of a few megabytes each, that are read before their memory is released. */
const ROW_GROUPS_IN_MEMORY = 8;

/** A step waits for running queries, which need the memory and the cores, but not forever. */
const WAIT_MS = 25;
const MAX_WAITS = 50;

/** Reads every block of an open store, concurrently with queries and loads. */
export async function verifyStore(
  database: DuckDbDatabase,
  pause: (tookMs: number) => Promise<unknown>,
): Promise<void> {
  const rowGroups = await database.readInBackground(listRowGroups);
  for (const [index, rowGroup] of rowGroups.entries()) {
    for (let waits = 0; database.isReading && waits < MAX_WAITS; waits++) await pause(WAIT_MS);
    const startedAt = performance.now();
    await database.readInBackground(async (connection) => {
      await readRowGroup(connection, database.file, rowGroup);
      const isLast = index === rowGroups.length - 1;
      if (isLast || (index + 1) % ROW_GROUPS_IN_MEMORY === 0) await database.releaseMemory(connection);
    });
    await pause(performance.now() - startedAt);
  }
}
