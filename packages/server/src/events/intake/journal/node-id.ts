import { randomBytes } from 'node:crypto';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** The id of the node that the file belongs to; created with the file. */
export function nodeIdOf(db: DatabaseSyncInstance): string {
  db.exec('CREATE TABLE IF NOT EXISTS node (id TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO node SELECT ? WHERE NOT EXISTS (SELECT * FROM node)');
  insert.run(randomBytes(6).toString('hex'));
  return String(db.prepare('SELECT id FROM node').get().id);
}
