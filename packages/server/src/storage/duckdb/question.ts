import type { DuckDBConnection } from '@duckdb/node-api';
import type { KeyHasher } from './key-hasher.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { TermDictionary } from './term-dictionary.ts';

/** What a question is answered with. */
export interface QuestionContext {
  connection: DuckDBConnection;
  terms: TermDictionary;
  keys: KeyHasher;
  registry: SessionRegistry;
  /** Visitors that are grouped at a time; more would not fit into memory. */
  mostVisitors: number;
}
