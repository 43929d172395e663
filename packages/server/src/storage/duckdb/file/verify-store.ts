import type { DuckDbDatabase } from './duckdb-database.ts';
import { listRowGroups, readRowGroup } from './store-inspection.ts';

/** Row groups, of a few megabytes each, that are read before their memory is released. */
const ROW_GROUPS_IN_MEMORY = 8;

/** Reads every block of an open store, concurrently with queries and loads. */
export async function verifyStore(
  database: DuckDbDatabase,
  pause: (tookMs: number) => Promise<unknown>,
): Promise<void> {
  const rowGroups = await database.readInBackground(listRowGroups);
  for (const [index, rowGroup] of rowGroups.entries()) {
    const startedAt = performance.now();
    await database.readInBackground(async (connection) => {
      await readRowGroup(connection, database.file, rowGroup);
      const isLast = index === rowGroups.length - 1;
      if (isLast || (index + 1) % ROW_GROUPS_IN_MEMORY === 0) await database.releaseMemory(connection);
    });
    await pause(performance.now() - startedAt);
  }
}
