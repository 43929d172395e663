/** How often to poll for changes by other processes. */
export const POLL_MS = 100;
/** How long and how often a statement retries while another process holds the lock. */
export const BUSY_TIMEOUT_MS = 5000;
export const BUSY_RETRY_MS = 20;

/** Two connections to one file: in WAL mode, readers never wait for writers. */
export type Lane = 'read' | 'write';

export interface SqliteResult {
  rows: unknown[];
  /** Number of rows changed; set for statements without result rows. */
  changes?: number | bigint;
}

/** Runs SQL on one database, on this thread (`SqliteFile`) or on another (`ThreadedSqlite`). */
export interface SqliteEngine {
  /** Whether the lanes are separate connections; an in-memory database has only one. */
  readonly supportsConcurrentReads: boolean;
  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
  /** Calls back after commits by any connection or process; returns an unsubscribe function. */
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

export type OpenSqlite = (path: string) => Promise<SqliteEngine>;
