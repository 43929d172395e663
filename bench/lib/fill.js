import { join } from 'node:path';
import { EVENTS_PER_VISIT, visitEntries } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
const DAYS = 30;
/** Visits per batch; as many requests as the loader stores at a time. */
const BATCH = 4000;
/** Visitors convert a minute later. */
const END_MS = 5 * 60 * 1000;

/**
 * Fills a data directory with visits of the last 30 days through the event store's `append`, in batches like those of
 * the loader. This is the path behind the journal, so the files are the same as after that many requests, without the
 * time they take. Returns how long it took.
 */
export async function fill(dataDir, events) {
  const { openDuckDbEventStore } = await import('../../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  const startedAt = performance.now();
  const first = startedAt + performance.timeOrigin - DAYS * DAY;
  const count = Math.ceil(events / EVENTS_PER_VISIT);
  let seq = 1;
  for (let visit = 1; visit <= count; ) {
    const entries = [];
    for (const end = Math.min(count, visit + BATCH - 1); visit <= end; visit++) {
      const added = visitEntries(seq, visit, Math.floor(first + (visit / count) * (DAYS * DAY - END_MS)));
      seq += added.length;
      entries.push(...added);
    }
    await store.append('local', entries);
  }
  await store.close();
  return performance.now() - startedAt;
}
