import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** Pages overwritten per transaction: 1 MB. */
const SLICE_PAGES = 256;

/**
 * Overwrites all free pages of a SQLite file in small steps, because `VACUUM` would block the thread while it rewrites
 * the whole file. Fills the free pages with zeros as rows of a temporary table.
 */
export async function overwriteFreePages(
  db: DatabaseSyncInstance,
  pause: () => Promise<unknown>,
): Promise<void> {
  db.exec('CREATE TABLE IF NOT EXISTS zeros (id INTEGER PRIMARY KEY, zeros BLOB NOT NULL)');
  const fill = db.prepare('INSERT INTO zeros (zeros) VALUES (zeroblob(?))');
  const pageSize = Number(db.prepare('PRAGMA page_size').get().page_size);
  const countFree = db.prepare('PRAGMA freelist_count');
  for (;;) {
    const free = Number(countFree.get().freelist_count);
    if (free === 0) break;
    fill.run(Math.min(free, SLICE_PAGES) * (pageSize - 4));
    await pause();
  }
  const deleteRow = db.prepare('DELETE FROM zeros WHERE id = (SELECT max(id) FROM zeros)');
  while (deleteRow.run().changes > 0) await pause();
  db.exec('DROP TABLE zeros');
}
