import type { DuckDbDatabase } from './duckdb-database.ts';
import { piecesOf, readPiece } from './store-inspection.ts';

/** Pieces after which the engine drops what it read: a few megabytes each. */
const PIECES_IN_MEMORY = 8;

/** Reads every block of an open store, beside questions and loads. */
export async function verifyStore(
  database: DuckDbDatabase,
  pause: (tookMs: number) => Promise<unknown>,
): Promise<void> {
  const pieces = await database.readInBackground(piecesOf);
  for (const [index, piece] of pieces.entries()) {
    const startedAt = performance.now();
    await database.readInBackground(async (connection) => {
      await readPiece(connection, database.file, piece);
      const isLast = index === pieces.length - 1;
      if (isLast || (index + 1) % PIECES_IN_MEMORY === 0) await database.releaseMemory(connection);
    });
    await pause(performance.now() - startedAt);
  }
}
