import type { Lane, SqliteResult } from './sqlite-engine.ts';

export type SqliteCommand =
  | { type: 'open'; path: string; acceptLoss: boolean }
  | { type: 'execute'; lane: Lane; sql: string; parameters: readonly unknown[] }
  | { type: 'watch' }
  | { type: 'close' };

export type SqliteRequest = SqliteCommand & { id: number };

export type SqliteReply =
  | { type: 'result'; id: number; value?: SqliteResult | undefined; error?: SerializedError }
  /** A connection or process has committed. */
  | { type: 'changed' };

/** Errors lose their name and code when they are posted to another thread. */
type SerializedError = Pick<NodeJS.ErrnoException, 'name' | 'message' | 'stack' | 'code'>;
