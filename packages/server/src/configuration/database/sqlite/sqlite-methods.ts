import type { SqliteEngine } from './sqlite-engine.ts';

/** What the SQLite thread is asked for. */
export interface SqliteMethods extends Pick<SqliteEngine, 'execute' | 'close'> {
  open(path: string, options: { acceptLoss: boolean }): Promise<void>;
  /** From now on, `changed` is called. */
  watch(): void;
}

/** What the SQLite thread tells. */
export interface SqliteListener {
  /** A connection or process has committed. */
  changed(): void;
}
