import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** Pages that are overwritten in one transaction: a megabyte. */
const SLICE_PAGES = 256;

/**
 * Overwrites every page of a SQLite file that is free now, a slice at a time: `VACUUM` would hold up the thread for
 * as long as it takes to write the whole file. Free pages are filled with zeros as rows of a table, which goes again.
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
