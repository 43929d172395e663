import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { collect, entry, exposure, exposures, goal } from '../../contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import { openDuckDbEventStore } from '../duckdb-event-store.ts';

const T0 = Date.UTC(2026, 0, 5);

const ENTRIES = [
  collect({ propertyId: 'shop', sessionId: 's1', receivedAt: T0 }, [
    { type: 'pageview', at: T0, url: '/a' },
    { type: 'pageview', at: T0, url: '/b' },
    { type: 'pageview', at: T0, url: '/c' },
  ]),
  exposures('shop', T0, [exposure('s1', T0), exposure('s1', T0), exposure('s2', T0)]),
  goal({ propertyId: 'shop', sessionId: 's1', receivedAt: T0 }),
  entry({ propertyId: 'shop', sessionId: 's1', receivedAt: T0, id: 'f1', message: 'fine' }),
].map((request, index) => ({ seq: 700 + index, request }));

test('a store of schema 4 has the same events in the same order after the upgrade, also after a crash', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-schema-'));
  const [file, crashed] = [join(directory, 'events.duckdb'), join(directory, 'crashed.duckdb')];
  try {
    const expected = await inStore(file, async (store) => {
      await store.append(LOCAL_SOURCE, ENTRIES);
      const events = await eventsOf(store);
      expect(events.timeline).toHaveLength(7);
      return events;
    });
    await toSchema4(file);
    await inStore(file, async (store) => {
      expect(await eventsOf(store)).toEqual(expected);
      // What a crash right after the upgrade would leave.
      for (const suffix of ['', '.wal']) await copyFile(`${file}${suffix}`, `${crashed}${suffix}`);
    });
    for (const upgraded of [file, crashed]) {
      await inStore(upgraded, async (store) => {
        expect(await eventsOf(store)).toEqual(expected);
        await store.append(LOCAL_SOURCE, [
          { seq: 704, request: goal({ propertyId: 'shop', sessionId: 's1', receivedAt: T0 }) },
        ]);
        expect((await eventsOf(store)).timeline).toHaveLength(8);
      });
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

async function inStore<T>(file: string, work: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openDuckDbEventStore(file);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The timeline page by page, so that each cursor is used. */
async function eventsOf(store: EventStore) {
  const timeline: unknown[] = [];
  const cursors: unknown[] = [];
  for (let after: { at: number; source: string; ordinal: number } | undefined; ; ) {
    const session = await store.session({
      propertyId: 'shop',
      sessionId: 's1',
      limit: 1,
      ...(after && { after }),
    });
    timeline.push(...session!.timeline.rows);
    cursors.push(session!.timeline.next);
    after = session!.timeline.next;
    if (after === undefined) break;
  }
  return { timeline, cursors, entries: await store.exportEntries(LOCAL_SOURCE, 0, 50) };
}

/** Undoes the last migrations. */
async function toSchema4(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const hash = (table: string) =>
    `(SELECT session_hash FROM sessions WHERE sessions.session_key = ${table}.session_key)`;
  for (const table of ['exposures', 'conversions', 'feedback', 'session_events']) {
    await connection.run(`CREATE OR REPLACE TABLE ${table} AS
      SELECT * EXCLUDE (event_index) REPLACE (${hash(table)} AS session_key, seq * 512 + event_index AS seq) FROM ${table};
      ALTER TABLE ${table} RENAME seq TO ordinal`);
  }
  await connection.run(`UPDATE collects SET session_key = ${hash('collects')};
    CREATE OR REPLACE TABLE sessions AS SELECT property, session_hash AS session_key, session_id, started_at FROM sessions`);
  await connection.run(
    `DROP TABLE counted_answers; DROP TABLE expired_views; ALTER TABLE store_state DROP COLUMN dead_since;
     UPDATE schema_version SET version = 4; CHECKPOINT`,
  );
  connection.closeSync();
  instance.closeSync();
}
