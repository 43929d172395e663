// A child process that holds the write lock of a SQLite file from the moment it is told the file until it ends.
import { DatabaseSync } from '@photostructure/sqlite';

process.once('message', (file) => {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('BEGIN IMMEDIATE');
  process.send('locked');
});
process.on('disconnect', () => process.exit());
