import { join } from 'node:path';
import { EVENTS_PER_VISIT, visitEntries, visitorEntries } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
/** Visits or visitors per batch; as many requests as the loader stores at a time. */
const BATCH = 4000;
/** Visitors convert a minute later. */
const END_MS = 5 * 60 * 1000;

/**
 * Fills a data directory through the event store's `append`, in batches like those of the loader. This is the path
 * behind the journal, so the files are the same as after that many requests, without the time they take. Returns how
 * long it took.
 *
 * @param entriesOf returns the journal entries of a visit or visitor: its first position, number and time
 */
async function fillWith(dataDir, { count, days, entriesOf }) {
  const { openDuckDbEventStore } = await import('../../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  const startedAt = performance.now();
  const first = startedAt + performance.timeOrigin - days * DAY;
  let seq = 1;
  for (let number = 1; number <= count; ) {
    const entries = [];
    for (const end = Math.min(count, number + BATCH - 1); number <= end; number++) {
      const added = entriesOf(seq, number, Math.floor(first + (number / count) * (days * DAY - END_MS)));
      seq += added.length;
      entries.push(...added);
    }
    await store.append('local', entries);
  }
  await store.close();
  return performance.now() - startedAt;
}

/** Visits of the last 30 days. */
export const fill = (dataDir, events) =>
  fillWith(dataDir, { count: Math.ceil(events / EVENTS_PER_VISIT), days: 30, entriesOf: visitEntries });

/** Visitors of a test that runs for two weeks. */
export const fillWithVisitors = (dataDir, visitors) =>
  fillWith(dataDir, { count: visitors, days: 14, entriesOf: visitorEntries });
