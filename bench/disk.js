// node bench/disk.js: what each column of stored events takes on disk, and what other ways to store them would. See
// README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeDirectory, temporaryDirectory } from './lib/children.js';
import { columnSizes, fileSizes } from './lib/column-sizes.js';
import { DuckDBInstance } from './lib/duckdb.js';
import { fill } from './lib/fill.js';
import { table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/disk.js [options]   (after npm run build)
  --events N   stored events (default 1000000); the columns of ten million take 5 minutes, the other ways as long`;

/** Columns below this many bytes per event are added up. */
const SMALL = 0.05;

const EVENT_TABLES = ['exposures', 'conversions', 'session_events', 'feedback'];

/** Replaces the numbers of sessions by hashes of their ids. */
const HASHED = [...EVENT_TABLES, 'collects'].map(
  (name) => `
  CREATE OR REPLACE TABLE ${name} AS
    SELECT source_rows.* REPLACE (session_hash AS session_key) FROM ${name} AS source_rows
      LEFT JOIN (SELECT session_key, session_hash FROM sessions) USING (session_key)
    ORDER BY source_rows.rowid`,
);

/** The position of a request and the index of the event in it as one number. */
const ORDINALS = EVENT_TABLES.map(
  (name) => `
  CREATE OR REPLACE TABLE ${name} AS
    SELECT * EXCLUDE (seq, event_index), seq * 512 + event_index AS ordinal
    FROM ${name} AS source_rows ORDER BY source_rows.rowid`,
);

/** Copies of the store: options of the new file, and changes of its tables. */
const VARIANTS = {
  'a copy, which has no free blocks': { options: "STORAGE_VERSION 'v1.3.0'" },
  'storage version v1.0.0, the default': { options: "STORAGE_VERSION 'v1.0.0'" },
  'storage version v1.2.0': { options: "STORAGE_VERSION 'v1.2.0'" },
  'storage version latest': { options: "STORAGE_VERSION 'latest'" },
  'blocks of 16 KiB': { options: "STORAGE_VERSION 'v1.3.0', BLOCK_SIZE 16384" },
  'ZSTD forced': { options: "STORAGE_VERSION 'v1.3.0'", settings: "SET force_compression = 'zstd'" },
  'DICT_FSST forced': {
    options: "STORAGE_VERSION 'v1.3.0'",
    settings: "SET force_compression = 'dict_fsst'",
  },
  'without collects.visitor_id': {
    options: "STORAGE_VERSION 'v1.3.0'",
    changes: ['ALTER TABLE collects DROP COLUMN visitor_id'],
  },
  'one number instead of seq and event_index': {
    options: "STORAGE_VERSION 'v1.3.0'",
    changes: ORDINALS,
  },
  'hashes instead of session numbers': { options: "STORAGE_VERSION 'v1.3.0'", changes: HASHED },
  'hashes, and one number': { options: "STORAGE_VERSION 'v1.3.0'", changes: [...HASHED, ...ORDINALS] },
};

async function inDatabase(file, work) {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Bytes in use after the copy was changed, and copied once more so that the changes leave no free blocks. */
async function variantBytes(directory, file, { options: fileOptions, settings, changes = [] }) {
  const copy = async (from, to) =>
    inDatabase(':memory:', async (connection) => {
      if (settings !== undefined) await connection.run(settings);
      await connection.run(`ATTACH '${from}' AS source (READ_ONLY)`);
      await connection.run(`ATTACH '${to}' AS target (${fileOptions})`);
      await connection.run('COPY FROM DATABASE source TO target');
      await connection.run('CHECKPOINT target');
    });
  const first = join(directory, 'variant.duckdb');
  await copy(file, first);
  let last = first;
  if (changes.length > 0) {
    await inDatabase(first, async (connection) => {
      for (const change of changes) await connection.run(change);
    });
    last = join(directory, 'changed.duckdb');
    await copy(first, last);
  }
  return (await inDatabase(last, fileSizes)).used;
}

async function measureColumns(file, events) {
  const { columns, sizes } = await inDatabase(file, async (connection) => ({
    columns: await columnSizes(connection),
    sizes: await fileSizes(connection),
  }));
  const perEvent = (bytes) => (bytes / events).toFixed(2);
  const shown = columns.filter(({ bytes }) => bytes / events >= SMALL);
  const sum = (list) => list.reduce((total, { bytes }) => total + bytes, 0);
  const all = sum(columns);
  console.log(
    table(
      ['column', 'bytes per event', 'compression'],
      [
        ...shown.map(({ name, bytes, compression }) => [`\`${name}\``, perEvent(bytes), compression]),
        ['all others', perEvent(all - sum(shown)), ''],
        ['all columns', perEvent(all), ''],
        ['ends of blocks, row groups', perEvent(sizes.used - all), ''],
        ['free blocks, which the next checkpoint uses', perEvent(sizes.file - sizes.used), ''],
        ['file', perEvent(sizes.file), ''],
      ],
    ),
  );
}

async function main() {
  const events = Number(options.events);
  const directory = temporaryDirectory();
  await fill(directory, events);
  const file = join(directory, 'events.duckdb');
  console.log(`${whole(events)} events:\n`);
  await measureColumns(file, events);
  const rows = [];
  for (const [name, variant] of Object.entries(VARIANTS)) {
    const work = temporaryDirectory();
    const bytes = await variantBytes(work, file, variant);
    removeDirectory(work);
    rows.push([name, (bytes / events).toFixed(1)]);
    console.error(`${name}: done`);
  }
  console.log(`\n${table(['', 'bytes per event'], rows)}`);
}

if (options.help) console.log(HELP);
else await main();
