import type { DuckDBConnection } from '@duckdb/node-api';
import type { KeyHasher } from '../ingest/lookup/key-hasher.ts';
import type { SessionRegistry } from '../ingest/lookup/session-registry.ts';
import type { SourceList } from '../ingest/lookup/source-list.ts';
import type { TermDictionary } from '../ingest/lookup/term-dictionary.ts';

/** Resources of a query. */
export interface QueryContext {
  connection: DuckDBConnection;
  terms: TermDictionary;
  keys: KeyHasher;
  registry: SessionRegistry;
  sources: SourceList;
  /** See `SessionVisitors.namingCollects`. */
  namingCollects: string;
  /** Max visitors grouped at a time; more would not fit into memory. */
  maxVisitors: number;
  /** The same for metrics. */
  maxMetricVisitors: number;
  /** Cancels the query: the database interrupts the statement that runs, long queries check it between statements or chunks. */
  signal?: AbortSignal | undefined;
}
