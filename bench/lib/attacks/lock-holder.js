// A child process that takes the write lock of a SQLite file on a message and holds it until it exits.
import { createRequire } from 'node:module';

// Uses the server's copy of the library.
const { DatabaseSync } = createRequire(new URL('../../../packages/server/package.json', import.meta.url))(
  '@photostructure/sqlite',
);

let database;
process.once('message', (file) => {
  database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('BEGIN IMMEDIATE');
  process.send('locked');
});
process.on('disconnect', () => process.exit());
