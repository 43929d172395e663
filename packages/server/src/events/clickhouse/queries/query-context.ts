import type { ClickHouse } from '../connection/clickhouse-client.ts';

/** Resources of a query. */
export interface QueryContext {
  clickhouse: ClickHouse;
  /** Cancels the query. */
  signal?: AbortSignal | undefined;
}
