import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal } from './journal.ts';
import { missingPositions } from './journal-loss.ts';

const ENTRIES = 30;
const SEED = Number(process.env.JOURNAL_SEED ?? Math.floor(Math.random() * 2 ** 31));

let directory: string;
/** The files of a process that was killed after it acknowledged all entries. */
let killed: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-journal-'));
  const file = join(directory, 'journal.db');
  const journal = new Journal(file, { maxBytes: 1e6, watermark: 0 });
  for (let i = 1; i <= ENTRIES; i++) journal.commit([{ payload: `{"entry":${i}}` }], Date.now());
  killed = join(directory, 'killed');
  for (const name of ['journal.db', 'journal.db-wal', 'journal.db-mark']) {
    cpSync(join(directory, name), join(killed, name), { recursive: true });
  }
  journal.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

let copies = 0;

/** @param part where in the log, from 0 to 1; undefined: it is not damaged */
function damagedCopy(part?: number): string {
  const copy = join(directory, `copy-${copies++}`);
  cpSync(killed, copy, { recursive: true });
  if (part !== undefined) {
    const log = join(copy, 'journal.db-wal');
    const bytes = readFileSync(log);
    bytes[Math.floor(part * bytes.length)]! ^= 1;
    writeFileSync(log, bytes);
  }
  return join(copy, 'journal.db');
}

test(`one flipped bit anywhere in the log is noticed, if the store does not have the entries (seed ${SEED})`, () => {
  const random = mulberry32(SEED);
  for (let i = 0; i < 30; i++) {
    const file = damagedCopy(random());
    expect(missingPositions(file, 0)).toBeGreaterThan(0);
    expect(() => new Journal(file, { maxBytes: 1e6, watermark: 0 })).toThrow(
      /journal\.db is missing requests/,
    );
    const stored = new Journal(file, { maxBytes: 1e6, watermark: ENTRIES });
    expect(stored.lastSeq).toBe(ENTRIES);
    stored.close();
  }
});

test('without damage, all entries are there', () => {
  const file = damagedCopy();
  expect(missingPositions(file, 0)).toBe(0);
  const journal = new Journal(file, { maxBytes: 1e6, watermark: 0 });
  expect(journal.read(0, ENTRIES + 1, 1e6)).toHaveLength(ENTRIES);
  journal.close();
});

test('an accepted loss is not reported again', () => {
  const file = damagedCopy(0.5);
  new Journal(file, { maxBytes: 1e6, watermark: 0, acceptLoss: true }).close();
  expect(missingPositions(file, 0)).toBe(0);
  const journal = new Journal(file, { maxBytes: 1e6, watermark: 0 });
  expect(journal.lastSeq).toBeLessThan(ENTRIES);
  journal.close();
});

test('with a remote store, it is noticed when the store responds, also if more entries were accepted before', () => {
  const missing = new Journal(damagedCopy(0.5), { maxBytes: 1e6 });
  const writes = Array.from({ length: ENTRIES }, () => ({ payload: '{}' }));
  missing.commit(writes, Date.now());
  expect(() => missing.confirm(3)).toThrow(/journal\.db is missing requests/);
  missing.close();
  const stored = new Journal(damagedCopy(0.5), { maxBytes: 1e6 });
  stored.commit(writes, Date.now());
  stored.confirm(ENTRIES);
  expect(stored.lastSeq).toBe(2 * ENTRIES);
  stored.close();
});
