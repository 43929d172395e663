import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** Equal for two data directories with the same configuration and the same last position of the journal. */
export function directoryState(dataDir: string): string {
  const position = read(join(dataDir, 'journal.db'), (journal) => {
    const { last } = journal
      .prepare(
        `SELECT max(seq) AS last FROM
         (SELECT seq FROM handed_over UNION ALL SELECT seq FROM entries UNION ALL SELECT seq FROM entries_2)`,
      )
      .get();
    return Number(last);
  });
  return `${position} ${read(join(dataDir, 'config.db'), contentHash)}`;
}

/** Of any schema: the file may have been written by an older version. */
function contentHash(database: DatabaseSyncInstance): string {
  const hash = createHash('sha256');
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all();
  for (const { name } of tables) {
    hash.update(JSON.stringify(name));
    for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate()) hash.update(JSON.stringify(row));
  }
  return hash.digest('hex');
}

function read<T>(path: string, work: (database: DatabaseSyncInstance) => T): T {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
