/** How often to look for changes by other processes. */
export const POLL_MS = 100;
/** How long a statement waits for a lock that another process holds, and how often it tries. */
export const BUSY_TIMEOUT_MS = 5000;
export const BUSY_RETRY_MS = 20;

/** Two connections to one file: in WAL mode, the one that reads never waits for a lock on writing. */
export type Lane = 'read' | 'write';

export interface SqliteResult {
  rows: unknown[];
  /** Rows changed by a statement that returns none. */
  changes?: number | bigint;
}

/** Runs SQL on one database, on this thread (`SqliteFile`) or on another (`SqliteThread`). */
export interface SqliteEngine {
  /** Whether the lanes are two connections; a database in memory has only one. */
  readonly readsBesideWrites: boolean;
  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
  /** Calls back after commits of any connection or process, from now on; returns how to stop that. */
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

export type OpenSqlite = (path: string) => Promise<SqliteEngine>;
