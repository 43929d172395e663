import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exposure, exposures, splitTestQuery } from '../../../store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../../store/event-store.ts';
import { openDuckDbEventStore } from '../../duckdb-event-store.ts';

const T0 = Date.UTC(2026, 0, 5);
const QUERY = splitTestQuery({ propertyId: 'shop' });

let directory: string;
let file: string;
let store: EventStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchyard-saved-answers-'));
  file = join(directory, 'events.duckdb');
  store = await openDuckDbEventStore(file);
  await expose(1, 's1', 's2', 's3');
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const expose = (seq: number, ...sessions: string[]) =>
  store.append(LOCAL_SOURCE, [
    {
      seq,
      request: exposures(
        'shop',
        T0,
        sessions.map((id) => exposure(id, T0)),
      ),
    },
  ]);

const visitors = async () =>
  (await store.splitTestCounts(QUERY)).groups.reduce((sum, group) => sum + group.visitors, 0);

/** Runs statements on the file of a closed store, and opens it again. */
async function inFile(sql: string): Promise<unknown[][]> {
  await store.close();
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  connection.closeSync();
  instance.closeSync();
  store = await openDuckDbEventStore(file);
  return rows;
}

const saved = async () => (await inFile('SELECT count(*)::INTEGER FROM counted_answers')).flat()[0];

test('after a restart, only new events are counted', async () => {
  expect(await visitors()).toBe(3);
  // Nothing but the saved answer knows these visitors now.
  await inFile('DELETE FROM exposures');
  await expose(2, 's4', 's5');
  expect(await visitors()).toBe(5);
});

test('what was counted ahead is known after a crash', async () => {
  await store.countAhead(QUERY);
  const crashed = join(directory, 'crashed.duckdb');
  for (const suffix of ['', '.wal']) await copyFile(`${file}${suffix}`, `${crashed}${suffix}`);
  await store.close();
  file = crashed;
  store = await openDuckDbEventStore(file);
  await inFile('DELETE FROM exposures');
  expect(await visitors()).toBe(3);
});

test('answers of other code are neither used nor kept', async () => {
  await visitors();
  await inFile(`UPDATE counted_answers SET code = 'other', answer = 'not readable'`);
  expect(await visitors()).toBe(3);
  await inFile(
    `INSERT INTO counted_answers SELECT * REPLACE ('other' AS code, '{}' AS query) FROM counted_answers`,
  );
  expect(await saved()).toBe(2);
  await expose(2, 's4');
  await visitors();
  expect(await saved()).toBe(1);
});

test('an erasure deletes all answers, the retention those that counted deleted events', async () => {
  await visitors();
  expect(await saved()).toBe(1);
  // Deletes no events.
  await store.expire('shop', T0 - 1);
  expect(await saved()).toBe(1);
  await store.forget([{ propertyId: 'shop', sessionId: 's1' }]);
  expect(await saved()).toBe(0);
  expect(await visitors()).toBe(2);
  expect(await saved()).toBe(1);
  await store.expire('shop', T0 + 1);
  expect(await saved()).toBe(0);
  expect(await visitors()).toBe(0);
});

test('a rewrite that erases nobody keeps the answers', async () => {
  await store.append(LOCAL_SOURCE, [{ seq: 2, request: exposures('blog', T0, [exposure('s1', T0)]) }]);
  await visitors();
  expect(await saved()).toBe(1);
  await store.expire('blog', T0 + 1);
  await store.forget([{ propertyId: 'shop', sessionId: 'unknown' }]);
  expect(await inFile('SELECT dead_rows::INTEGER FROM store_state')).toEqual([[0]]);
  expect(await saved()).toBe(1);
});

test('answers that take too much space are dropped, those first that were saved longest ago', async () => {
  await visitors();
  await inFile(`UPDATE counted_answers SET answer = repeat('x', 9000000), query = 'old', saved_at = 1;
    INSERT INTO counted_answers SELECT * REPLACE ('new' AS query, 2 AS saved_at) FROM counted_answers`);
  await visitors();
  const rows = await inFile('SELECT query FROM counted_answers ORDER BY saved_at');
  expect(rows).toEqual([['new'], [expect.stringContaining('hero')]]);
});
