import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { fillCodeCache } from './fill-code-cache.js';
import { packSdk } from './pack-sdk.js';
import { precompileProvisionCheck } from './precompile-provision-check.js';
import { toAscii } from './to-ascii.js';

// Bundles each entry into one file: resolving and linking a thousand modules would dominate the startup time. Then puts
// everything that the server delivers next to the bundles, so that `dist` is complete.

const here = import.meta.dirname;

/** Flat, so that files referenced relative to a source file are next to its bundle too. */
const ENTRIES = {
  switchyard: 'cli/main',
  'storage-thread': 'events/thread/storage-thread',
  'report-thread': 'start/report-thread',
  'sqlite-thread': 'configuration/database/sqlite/sqlite-thread',
  'duckdb-event-store': 'events/duckdb/duckdb-event-store',
  'clickhouse-event-store': 'events/clickhouse/clickhouse-event-store',
};
/** Packages that load their own files: native code. */
const WITH_FILES = ['@duckdb/node-bindings', '@node-rs/argon2', '@photostructure/sqlite'];

/** What the server delivers: name in `dist` and where it comes from. */
const DELIVERED = {
  dashboard: '../dashboard/dist',
  docs: '../docs/dist',
  'sdk.js': '../sdk/dist/sdk.js',
  'sdk-debug.js': '../sdk/dist/sdk-debug.js',
  'sdk-audience.js': '../sdk/dist/sdk-audience.js',
  'sdk-audience-values.js': '../sdk/dist/sdk-audience-values.js',
  'sdk-loader.js': '../sdk/dist/sdk-loader.js',
  'sdk-private.js': '../sdk/dist/sdk-private.js',
  'sdk-relay.js': '../sdk/dist/sdk-relay.js',
};

const build = await rolldown({
  input: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, path]) => [name, join(here, 'src', `${path}.ts`)]),
  ),
  platform: 'node',
  external: WITH_FILES,
  plugins: [precompileProvisionCheck()],
  tsconfig: false,
  transform: { target: 'node20' },
});
const { output } = await build.write({
  dir: join(here, 'dist'),
  format: 'cjs',
  // A script cannot import.
  dynamicImportInCjs: false,
  // No hashes in file names, so that each build overwrites the chunks of the last one.
  chunkFileNames: '[name].cjs',
  entryFileNames: '[name].cjs',
  sourcemap: true,
});
await build.close();
await toAscii(join(here, 'dist'), output);

for (const [name, source] of Object.entries(DELIVERED)) {
  await rm(join(here, 'dist', name), { recursive: true, force: true });
  await cp(join(here, source), join(here, 'dist', name), { recursive: true });
}
const packed = await packSdk(join(here, '..', 'sdk'), join(here, 'dist'));

const written = new Set([...output.map(({ fileName }) => fileName), ...Object.keys(DELIVERED), ...packed]);
for (const name of await readdir(join(here, 'dist'))) {
  if (!written.has(name)) await rm(join(here, 'dist', name), { recursive: true });
}
await fillCodeCache();
