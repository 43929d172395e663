import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { isTest, PATHS, read } from './support/sources.ts';

const MAX_LINES = 500;
/** In larger folders, nobody finds anything. */
const MAX_FILES = 40;

it(`no file has more than ${MAX_LINES} lines`, () => {
  const long = PATHS.map((path) => ({ path, lines: read(path).split('\n').length }));
  expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
});

it(`no folder has more than ${MAX_FILES} files, apart from tests`, () => {
  const counts = new Map<string, number>();
  for (const path of PATHS) {
    if (isTest(path) || !path.startsWith('packages/')) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  expect([...counts].filter(([, files]) => files > MAX_FILES)).toEqual([]);
});
