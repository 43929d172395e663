import type { Lane, SqliteResult } from './sqlite-engine.ts';

export type SqliteCommand =
  | { type: 'open'; path: string }
  | { type: 'execute'; lane: Lane; sql: string; parameters: readonly unknown[] }
  | { type: 'watch' }
  | { type: 'close' };

export type SqliteRequest = SqliteCommand & { id: number };

export type SqliteReply =
  | { type: 'answer'; id: number; value?: SqliteResult | undefined; error?: SentError }
  /** Some connection or process has committed. */
  | { type: 'changed' };

/** An error as it crosses threads, which would lose its name and code otherwise. */
type SentError = Pick<NodeJS.ErrnoException, 'name' | 'message' | 'stack' | 'code'>;
