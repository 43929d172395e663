import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** The errors that SQLite reports; a healthy database reports "ok". */
export function integrityErrors(
  connection: DatabaseSyncInstance,
  pragma: 'integrity_check' | 'quick_check',
): string[] {
  const rows = connection.prepare(`pragma ${pragma}`).all();
  return rows.map((row) => String(row[pragma])).filter((message) => message !== 'ok');
}

export function danglingRows(connection: DatabaseSyncInstance): string[] {
  return connection
    .prepare('pragma foreign_key_check')
    .all()
    .map((row) => `a row in ${row.table} refers to a missing row in ${row.parent}`);
}
