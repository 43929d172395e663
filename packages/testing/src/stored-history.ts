import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openDuckDbEventStore } from '../../server/src/events/duckdb/duckdb-event-store.ts';
import type { AcceptedRequest, Exposure } from '../../server/src/events/store/accepted-request.ts';
import { LOCAL_SOURCE } from '../../server/src/events/store/event-store.ts';
import { type StartOptions, startServer, type TestServer, temporaryDirectory } from './test-server.ts';

/** Max exposures per request. */
const BATCH = 500;

export const exposuresAt = (receivedAt: number, exposures: Exposure[]): AcceptedRequest[] =>
  Array.from({ length: Math.ceil(exposures.length / BATCH) }, (_, index) => ({
    kind: 'exposures',
    propertyId: 'shop',
    receivedAt,
    exposures: exposures.slice(index * BATCH, (index + 1) * BATCH),
  }));

interface History extends StartOptions {
  /** In order of receipt. */
  requests: readonly AcceptedRequest[];
  /** When the split tests started, by the server clock. */
  runningSince: number;
}

/** A server with events of past days and split tests that started before them. */
export async function startServerWithHistory({
  requests,
  runningSince,
  ...options
}: History): Promise<TestServer> {
  const dataDir = temporaryDirectory();
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  await store.append(
    LOCAL_SOURCE,
    requests.map((request, index) => ({ seq: index + 1, request })),
  );
  await store.close();
  await (await startServer({ ...options, dataDir })).stop();
  const database = new DatabaseSync(join(dataDir, 'config.db'));
  database.prepare('UPDATE split_test_phases SET started_at = ?').run(runningSince);
  database.close();
  return startServer({ ...options, dataDir });
}
