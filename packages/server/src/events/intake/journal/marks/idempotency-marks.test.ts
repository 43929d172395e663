import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@switchyard/core/time';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal } from '../journal.ts';

let directory: string;
let journal: Journal;

const open = () =>
  new Journal(join(directory, 'journal.db'), { maxBytes: 1e9, marksFile: join(directory, 'marks.db') });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-marks-'));
  journal = open();
});
afterEach(() => {
  journal.close();
  rmSync(directory, { recursive: true });
});

const NOW = Date.UTC(2030, 0, 1);
const fingerprintOf = (body: string) => Buffer.alloc(32, body).toString('base64url');
const write = (key: string, body = 'a') => ({
  payload: '{}',
  idempotency: { key: `shop/secret/${key}`, fingerprint: fingerprintOf(body) },
});
const commit = (keys: readonly string[], now: number, body?: string) =>
  journal.commit(
    keys.map((key) => write(key, body)),
    now,
  ).outcomes;

/** All work that is due. */
function maintain(now: number): void {
  while (journal.maintainMarks(now));
}

test('a key is recognized for a day, in the same commit, in memory, on disk and after a restart', () => {
  expect(commit(['a', 'a'], NOW)).toEqual(['stored', 'replayed']);
  const checks = () => {
    expect(commit(['a'], NOW + HOUR_MS)).toEqual(['replayed']);
    expect(commit(['a'], NOW + HOUR_MS, 'b')).toEqual(['reused']);
  };
  checks();
  journal.close();
  journal = open();
  checks();
  maintain(NOW + 3 * HOUR_MS);
  checks();
  journal.close();
  journal = open();
  checks();
  expect(commit(['a'], NOW + DAY_MS)).toEqual(['replayed']);
  expect(commit(['a'], NOW + DAY_MS + 2 * MINUTE_MS)).toEqual(['stored']);
});

test('keys of a server that was stopped for weeks have expired', () => {
  commit(['recent'], NOW);
  maintain(NOW + 3 * HOUR_MS);
  commit(['latest'], NOW + 3 * HOUR_MS);
  journal.close();
  journal = open();
  // Minutes are stored modulo 2^16, which is 45 days.
  const later = NOW + 2 ** 15 * MINUTE_MS + DAY_MS;
  expect(commit(['recent', 'latest'], later)).toEqual(['stored', 'stored']);
});

const SEED = Number(process.env.MARKS_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`random keys over two days are recognized like in a plain map (seed ${SEED})`, () => {
  const random = mulberry32(SEED);
  const firstUse = new Map<string, { at: number; body: string }>();
  let now = NOW;
  let issued = 0;
  for (let round = 0; round < 250; round++) {
    // Many keys at some times, so that runs of two levels are merged.
    const keys = Array.from({ length: random() < 0.5 ? 2500 : 20 }, () =>
      random() < 0.1 && issued > 0 ? `k${Math.floor(random() * issued)}` : `k${issued++}`,
    );
    const body = random() < 0.9 ? 'a' : 'b';
    const expected = keys.map((key) => {
      const first = firstUse.get(key);
      const age = first === undefined ? Number.POSITIVE_INFINITY : now - first.at;
      // At the border, either is right: times are rounded to minutes.
      if (age > DAY_MS && age < DAY_MS + 2 * MINUTE_MS) return undefined;
      if (age <= DAY_MS) return first!.body === body ? 'replayed' : 'reused';
      firstUse.set(key, { at: now, body });
      return 'stored';
    });
    const outcomes = commit(keys, now, body);
    outcomes.forEach((outcome, i) => {
      if (expected[i] === undefined) {
        if (outcome === 'stored') firstUse.set(keys[i]!, { at: now, body });
      } else if (outcome !== expected[i]) {
        expect([round, keys[i], outcome]).toEqual([round, keys[i], expected[i]]);
      }
    });
    const steps = Math.floor(random() * 60);
    for (let step = 0; step < steps; step++) journal.maintainMarks(now);
    if (random() < 0.03) {
      journal.close();
      journal = open();
    }
    now += Math.floor(random() * 24 * MINUTE_MS);
  }
  expect(now - NOW).toBeGreaterThan(1.8 * DAY_MS);
});

test('expired keys take no space', () => {
  const keys = Array.from({ length: 40_000 }, (_, i) => `k${i}`);
  commit(keys, NOW);
  maintain(NOW);
  expect(journal.markBytes).toBe(40_000 * 16);
  maintain(NOW + 3 * HOUR_MS + DAY_MS);
  expect(journal.markBytes).toBe(0);
});

test('a failed step of the maintenance loses no key', () => {
  // Times two hours apart make each commit a slice of its own: enough of them to be merged in several steps.
  const now = NOW + 2 * HOUR_MS;
  const slices = Array.from({ length: 17 }, (_, slice) =>
    Array.from({ length: 1000 }, (_, i) => `k${slice * 1000 + i}`),
  );
  for (const [i, keys] of slices.entries()) commit(keys, i % 2 === 0 ? NOW : now);
  const other = new DatabaseSync(join(directory, 'marks.db'));
  // In the middle of the first merge, which writes run 18.
  other.exec(`CREATE TRIGGER fail BEFORE INSERT ON mark_pages WHEN NEW.id BETWEEN ${18.5 * 2 ** 32} AND ${18.8 * 2 ** 32}
    BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  let failures = 0;
  for (let hasMore = true; hasMore; ) {
    try {
      hasMore = journal.maintainMarks(now);
    } catch (error) {
      expect(String(error)).toMatch(/disk full/);
      failures++;
      other.exec('DROP TRIGGER fail');
    }
  }
  other.close();
  expect(failures).toBe(1);
  expect(new Set(commit(slices.flat(), now))).toEqual(new Set(['replayed']));
});
