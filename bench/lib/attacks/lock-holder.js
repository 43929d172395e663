// A child process that holds the write lock of a SQLite file from the moment it is told the file until it ends.
import { createRequire } from 'node:module';

// The library of the server, which the benchmarks do not install besides.
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
