import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { PATHS, read } from './support/sources.ts';

const MAX_LINES = 500;
/** In larger folders, nobody finds anything. */
const MAX_FILES = 40;

const isTestFile = (path: string) => /\.test\.tsx?$/.test(path);

it(`no file has more than ${MAX_LINES} lines`, () => {
  const long = PATHS.map((path) => ({ path, lines: read(path).split('\n').length }));
  expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
});

/** A test stands beside what it tests, so tests are counted on their own. Contracts and helpers of tests are files. */
it.each([
  ['files', (path: string) => !isTestFile(path)],
  ['tests', isTestFile],
])(`no folder has more than ${MAX_FILES} %s`, (_, isCounted) => {
  const counts = new Map<string, number>();
  for (const path of PATHS.filter(isCounted)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, files]) => files > MAX_FILES)).toEqual([]);
});
