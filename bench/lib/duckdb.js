// The engine of the server, which is no dependency of the benchmarks.
import { createRequire } from 'node:module';

export const { DuckDBInstance } = createRequire(
  new URL('../../packages/server/package.json', import.meta.url),
)('@duckdb/node-api');
