import { randomBytes } from 'node:crypto';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { inject } from 'vitest';

/** An event store on which a test plays a history over HTTP. */
export interface Engine {
  name: 'DuckDB' | 'ClickHouse';
  /** What the server needs, and how it is removed. */
  open: () => Promise<{ env: Record<string, string>; close: () => Promise<void> }>;
}

/** DuckDB, and ClickHouse with PostgreSQL where both can run. */
export function enginesForTest(): Engine[] {
  const duckdb: Engine = { name: 'DuckDB', open: async () => ({ env: {}, close: async () => {} }) };
  const clickhouseUrl = inject('clickhouseUrl');
  if (clickhouseUrl === undefined || !hasPostgres()) return [duckdb];
  return [duckdb, { name: 'ClickHouse', open: () => openDatabases(clickhouseUrl) }];
}

async function openDatabases(clickhouseUrl: string) {
  const name = `history_${randomBytes(6).toString('hex')}`;
  const clickhouse = (statement: string) =>
    fetch(clickhouseUrl, { method: 'POST', body: statement }).then((response) => response.text());
  // The first request starts the engine, which takes longer than a server waits for an answer.
  await clickhouse('SELECT 1');
  const postgres = await createPostgresDatabase({ empty: true });
  return {
    env: { DATABASE_URL: postgres.url, CLICKHOUSE_URL: `${clickhouseUrl}/${name}` },
    close: async () => {
      await clickhouse(`DROP DATABASE IF EXISTS ${name}`);
      await postgres.remove();
    },
  };
}
