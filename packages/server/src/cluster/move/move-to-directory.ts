import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../configuration/database/database.ts';
import { ALL_MIGRATIONS } from '../../configuration/database/migrations/all-migrations.ts';
import { isMigrated } from '../../configuration/database/migrations/migrate.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import { connectPostgres } from '../../configuration/database/postgres/open-postgres.ts';
import type { TableKeys } from '../../configuration/definitions/collection-definition.ts';
import { openClickHouseEventStore } from '../../events/clickhouse/clickhouse-event-store.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { Journal } from '../../events/intake/journal/journal.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { makeDataDirectory } from '../../platform/files/data-directory.ts';
import { compareConfiguration, compareEvents, expiryOf } from './compare.ts';
import { copyEvents, entryPositions } from './copy-events.ts';
import { MoveRecord, type Servers } from './move-record.ts';
import { type MoveListener, type MoveResult, replaceConfiguration } from './move-to-servers.ts';
import { countNodeConnections } from './target-checks.ts';

export interface MoveToDirectory extends MoveListener {
  /** Of the configuration. */
  tables: TableKeys;
  directory: string;
  servers: Servers;
}

const DATA_FILES = ['config.db', 'journal.db', 'marks.db', 'events.duckdb', 'node.db'];
const STATEMENT_TIMEOUT_MS = 10 * 60 * 1000;

/**
 * Copies an installation with nodes into a data directory while they run, and compares both. Another run copies what
 * was added since. Once no node is connected and both are equal, a server may start in the directory.
 */
export async function moveToDirectory(options: MoveToDirectory): Promise<MoveResult> {
  const { directory, servers } = options;
  makeDataDirectory(directory);
  const record = MoveRecord.open(directory, 'in', servers);
  const found = DATA_FILES.find((name) => existsSync(join(directory, name)));
  if (!record.isResumed && found !== undefined) {
    throw new Error(
      `${directory} has data already (${found}), which is not from this move. Use an empty directory.`,
    );
  }
  const database = connectPostgres(servers.databaseUrl, {
    connections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const store = openClickHouseEventStore(servers.clickhouse);
  try {
    await assertInstallation(database);
    // From now on no server starts in the directory.
    await record.save();
    return await fill({ database, store }, record, options);
  } finally {
    await store.close();
    await database.destroy();
  }
}

async function assertInstallation(database: Database): Promise<void> {
  const hasTables = await isMigrated(database, ALL_MIGRATIONS);
  const hasProperty =
    hasTables && (await database.selectFrom('properties').select('id').limit(1).execute()).length > 0;
  if (hasProperty) return;
  throw new Error(
    'The PostgreSQL database has no data of this version. Check the URL, or upgrade the nodes to this version first.',
  );
}

interface Side {
  database: Database;
  store: EventStore;
}

async function fill(
  origin: Side,
  record: MoveRecord,
  { tables, directory, onStep, onProgress }: MoveToDirectory,
): Promise<MoveResult> {
  // Takes the lock of the directory.
  const store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  const { database, close } = await openDatabase(directory);
  try {
    const nodesBefore = await countNodeConnections(origin.database);
    const upTo = await entryPositions(origin.store);
    onStep('Copying the configuration');
    const changed = await readingOnly(origin.database, async (snapshot) => {
      await replaceConfiguration(tables, snapshot, database);
      return compareConfiguration(tables, snapshot, database);
    });
    onStep('Copying events');
    const stores = { from: origin.store, to: store };
    const stored = await entryPositions(store);
    const copied = await copyEvents({ ...stores, upTo, stored, plan: record, onProgress });
    onStep('Comparing both sides');
    const expiredBefore = await expiryOf(database, Date.now());
    const events = await compareEvents({ ...stores, upTo, expiredBefore });
    const differences = [...changed, ...events];
    const hasNodes = nodesBefore > 0 || (await countNodeConnections(origin.database)) > 0;
    const isComplete = differences.length === 0 && !hasNodes;
    await createJournal(directory, store);
    if (isComplete) await record.remove();
    return { copied, differences, isComplete };
  } finally {
    await store.close();
    await close();
  }
}

/** One state of the database for all statements. */
const readingOnly = <T>(database: Database, read: (snapshot: Database) => Promise<T>): Promise<T> =>
  database.transaction().setAccessMode('read only').execute(read);

/** The journal of the server that will run here; its positions continue after those that were copied. */
async function createJournal(directory: string, store: EventStore): Promise<void> {
  const watermark = await store.watermark(LOCAL_SOURCE);
  new Journal(join(directory, 'journal.db'), {
    maxBytes: 0,
    source: LOCAL_SOURCE,
    watermark,
  }).close();
}
