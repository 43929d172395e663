import { join } from 'node:path';
import { EVENTS_PER_VISIT, visitEntries } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
const BATCH_VISITS = 4000;

/**
 * Fills a data directory through the event store's `append`, in batches like those of the loader. This is the path
 * behind the journal, so the files are the same as after that many requests, without the time they take.
 */
export async function fill(dataDir, events) {
  const { openDuckDbEventStore } = await import('../../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  const visits = Math.ceil(events / EVENTS_PER_VISIT);
  const startedAt = performance.now();
  const first = Date.now() - 30 * DAY;
  let seq = 1;
  for (let visit = 1; visit <= visits; ) {
    const entries = [];
    for (const end = Math.min(visits, visit + BATCH_VISITS - 1); visit <= end; visit++) {
      const added = visitEntries(seq, visit, first + Math.floor((visit / visits) * 30 * DAY));
      seq += added.length;
      entries.push(...added);
    }
    await store.append('local', entries);
  }
  await store.close();
  return performance.now() - startedAt;
}
