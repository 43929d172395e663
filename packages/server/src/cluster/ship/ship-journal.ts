import { join } from 'node:path';
import {
  type ClickHouseStoreOptions,
  openClickHouseEventStore,
} from '../../events/clickhouse/clickhouse-event-store.ts';
import { StoreLock } from '../../events/duckdb/connection/store-lock.ts';
import { Journal } from '../../events/intake/journal/journal.ts';
import { LoadTracing } from '../../events/intake/load-tracing.ts';
import { Loader } from '../../events/intake/loader.ts';
import { fileExists } from '../../platform/files/file-exists.ts';

export interface Shipment {
  /** Id of the node. */
  source: string;
  requests: number;
}

/**
 * Stores what is left in the journal of a node that does not run. Batches have the boundaries that the node planned, so
 * each request is stored once, even if this is interrupted or the node starts again later.
 */
export async function shipJournal(directory: string, clickhouse: ClickHouseStoreOptions): Promise<Shipment> {
  const file = join(directory, 'node.db');
  if (!fileExists(file)) throw new Error(`${directory} is not the DATA_DIR of a node: it has no node.db.`);
  const lock = takeLock(file, directory);
  const store = openClickHouseEventStore(clickhouse);
  try {
    // Compared with ClickHouse before anything is counted: it may have more than the node knew.
    const journal = new Journal(file, { maxBytes: 0 });
    try {
      journal.confirm(await store.watermark(journal.source));
      const requests = journal.lastSeq - journal.handedOver;
      await load(journal, store);
      return { source: journal.source, requests };
    } finally {
      journal.close();
    }
  } finally {
    await store.close();
    lock.release();
  }
}

async function load(journal: Journal, store: ReturnType<typeof openClickHouseEventStore>): Promise<void> {
  const loader = new Loader({ journal, store, onError: () => {}, tracing: new LoadTracing(() => {}) });
  try {
    await loader.loadAll();
  } finally {
    await loader.stop();
  }
}

function takeLock(file: string, directory: string): StoreLock {
  try {
    return StoreLock.take(file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'STORE_LOCKED') throw error;
    throw new Error(`The node of ${directory} is running, and stores its events itself. Stop it first.`);
  }
}
