import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CommitCounter } from './commit-counter.ts';
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  type Lane,
  POLL_MS,
  type SqliteEngine,
  type SqliteResult,
} from './sqlite-engine.ts';

interface OpenOptions {
  /** Open it although it has lost commits. */
  acceptLoss?: boolean | undefined;
}

const SQLITE_BUSY = 5;

class DatabaseLockedError extends Error {
  override readonly name = 'DatabaseLockedError';
}

/** A database on the calling thread; statements block it while they run, but not while they wait for a lock. */
export class SqliteFile implements SqliteEngine {
  readonly supportsConcurrentReads: boolean;
  readonly #path: string;
  readonly #connections: Record<Lane, DatabaseSyncInstance>;
  readonly #counter: CommitCounter | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Throws if the file has lost commits, before it changes anything. */
  static async open(path: string, { acceptLoss = false }: OpenOptions = {}): Promise<SqliteFile> {
    const counter = path === ':memory:' ? undefined : new CommitCounter(path);
    if (!acceptLoss) counter?.assertNoLoss();
    const write = new DatabaseSync(path);
    await retryWhileLocked(path, () => write.exec('pragma journal_mode = wal'));
    // secure_delete: erased data must not remain in free pages of the file.
    write.exec('pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on');
    if (counter === undefined) return new SqliteFile(path, { read: write, write });
    counter.start(write, acceptLoss);
    const read = new DatabaseSync(path);
    read.exec('pragma query_only = on');
    return new SqliteFile(path, { read, write }, counter);
  }

  /** Changes nothing, not even the journal mode. */
  static openReadOnly(path: string): SqliteFile {
    const connection = new DatabaseSync(path, { readOnly: true });
    return new SqliteFile(path, { read: connection, write: connection });
  }

  private constructor(
    path: string,
    connections: Record<Lane, DatabaseSyncInstance>,
    counter?: CommitCounter,
  ) {
    this.#path = path;
    this.#counter = counter;
    this.#connections = connections;
    this.supportsConcurrentReads = connections.read !== connections.write;
  }

  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return retryWhileLocked(this.#path, () => {
      const connection = this.#connections[lane];
      const execute = () => run(connection, sql, parameters);
      return this.#counter && lane === 'write' ? this.#counter.execute(connection, sql, execute) : execute();
    });
  }

  watch(onChange: () => void): () => void {
    // data_version changes when another connection commits.
    const statement = this.#connections.read.prepare('pragma data_version');
    const readVersion = (): unknown => {
      try {
        return statement.get().data_version;
      } catch {
        // Treated as a change: the reload that follows fails too and reports the error.
        return undefined;
      }
    };
    let seen = readVersion();
    const timer = setInterval(() => {
      const current = readVersion();
      if (current !== undefined && current === seen) return;
      seen = current;
      onChange();
    }, POLL_MS).unref();
    this.#timers.add(timer);
    return () => clearInterval(timer);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { read, write } = this.#connections;
    if (this.supportsConcurrentReads) read.close();
    write.close();
    this.#counter?.close();
  }
}

function run(connection: DatabaseSyncInstance, sql: string, parameters: readonly unknown[]): SqliteResult {
  const statement = connection.prepare(sql);
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  const { changes } = statement.run(...parameters);
  return { rows: [], changes };
}

/** SQLite's own busy timeout would block the thread. A statement that failed with SQLITE_BUSY had no effect. */
async function retryWhileLocked<T>(path: string, attempt: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if ((error as { sqliteCode?: unknown }).sqliteCode !== SQLITE_BUSY) throw error;
      if (performance.now() > deadline) {
        throw new DatabaseLockedError(`${path} is locked by another process.`, { cause: error });
      }
    }
    await sleep(BUSY_RETRY_MS);
  }
}
