import { join } from 'node:path';
import type { Database } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import { connectPostgres } from '../../configuration/database/postgres/open-postgres.ts';
import type { TableKeys } from '../../configuration/definitions/collection-definition.ts';
import { openClickHouseEventStore } from '../../events/clickhouse/clickhouse-event-store.ts';
import { StoreLock } from '../../events/duckdb/connection/store-lock.ts';
import { fileExists } from '../../platform/files/file-exists.ts';
import { compareConfiguration, compareEvents, type Difference, expiryOf } from './compare.ts';
import { copyConfiguration } from './copy-configuration.ts';
import { type CopyProgress, copyEvents, entryPositions } from './copy-events.ts';
import { type EmbeddedCopy, openEmbeddedCopy } from './embedded-copy.ts';
import { MoveRecord, type Servers } from './move-record.ts';
import { describeMove, isMoved, markMoved, undoMove } from './moved-directory.ts';
import { assertEmptyTarget, assertSameInstallation, assertUnused } from './target-checks.ts';

export interface MoveListener {
  /** What happens now. */
  onStep: (text: string) => void;
  onProgress: (progress: CopyProgress) => void;
}

export interface MoveResult {
  /** Requests that this run has copied. */
  copied: number;
  differences: Difference[];
  /** Both sides are equal, and the origin gets nothing more. */
  isComplete: boolean;
}

export interface MoveToServers extends MoveListener {
  /** Of the configuration. */
  tables: TableKeys;
  dataDir: string;
  servers: Servers;
  version: string;
}

const STATEMENT_TIMEOUT_MS = 10 * 60 * 1000;

/** One connection, so that others can be counted; migrates the database first. */
async function openTarget(url: string): Promise<Database> {
  const handle = await openDatabase('', { url });
  await handle.close();
  return connectPostgres(url, { connections: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
}

/**
 * Copies an embedded installation to PostgreSQL and ClickHouse while its server runs, and compares both. Another run
 * copies what was added since. Once the server has stopped and both are equal, it marks the directory as moved.
 */
export async function moveToServers(options: MoveToServers): Promise<MoveResult> {
  const { dataDir } = options;
  if (isMoved(dataDir)) throw new Error(`${describeMove(dataDir)} ${undoMove(dataDir)}`);
  if (!fileExists(join(dataDir, 'config.db'))) {
    throw new Error(`${dataDir} has no data of a Switchyard server. Pass its directory with --data-dir.`);
  }
  const lock = takeLock(dataDir);
  try {
    return await moveLocked(options);
  } finally {
    lock.release();
  }
}

/** Two commands at once would use the same files. */
function takeLock(dataDir: string): StoreLock {
  try {
    return StoreLock.take(join(dataDir, 'move'));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'STORE_LOCKED') throw error;
    throw new Error(`Another "switchyard move" is working on ${dataDir}.`, { cause: error });
  }
}

async function moveLocked(options: MoveToServers): Promise<MoveResult> {
  const { dataDir, servers, version, onStep } = options;
  const database = await openTarget(servers.databaseUrl);
  const store = openClickHouseEventStore(servers.clickhouse);
  try {
    await assertUnused(database, () => onStep('Waiting for other connections to PostgreSQL to end'));
    onStep(`Copying ${dataDir}`);
    const copy = await openEmbeddedCopy(dataDir, version);
    try {
      return await moveCopy(copy, { database, store }, options);
    } finally {
      await copy.close();
    }
  } finally {
    await store.close();
    await database.destroy();
  }
}

type Target = Pick<EmbeddedCopy, 'database' | 'store'>;

async function moveCopy(copy: EmbeddedCopy, target: Target, options: MoveToServers): Promise<MoveResult> {
  const { tables, dataDir, servers, onStep, onProgress } = options;
  const record = MoveRecord.open(dataDir, 'out', servers);
  const upTo = await entryPositions(copy.store);
  const positions = await entryPositions(target.store);
  if (record.isResumed) {
    await assertSameInstallation(
      { database: copy.database, positions: upTo },
      { database: target.database, positions },
    );
  } else {
    await assertEmptyTarget(target.database, positions);
    await record.save();
  }
  onStep('Copying the configuration');
  await replaceConfiguration(tables, copy.database, target.database);
  onStep('Copying events');
  const stores = { from: copy.store, to: target.store };
  const copied = await copyEvents({ ...stores, upTo, stored: positions, plan: record, onProgress });
  onStep('Comparing both sides');
  const expiredBefore = record.isResumed ? await expiryOf(copy.database, Date.now()) : new Map();
  const differences = [
    ...(await compareConfiguration(tables, copy.database, target.database)),
    ...(await compareEvents({ ...stores, upTo, expiredBefore })),
  ];
  const isComplete =
    differences.length === 0 &&
    (await copy.ifUnchanged(async () => {
      await markMoved(dataDir, servers);
      await record.remove();
    }));
  return { copied, differences, isComplete };
}

/** In one transaction; nothing if it is the same already. */
export async function replaceConfiguration(tables: TableKeys, from: Database, to: Database): Promise<void> {
  if ((await compareConfiguration(tables, from, to)).length === 0) return;
  await to.transaction().execute((transaction) => copyConfiguration(tables, from, transaction));
}
