import { expect } from 'vitest';
import type { Cursor, Page } from '../../page.ts';

/** Reads a list page by page. */
export async function pagesOf<T, Position = Cursor>(
  limit: number,
  query: (after: { after?: Position }) => Promise<Page<T, Position>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let after: { after?: Position } = {}; ; ) {
    const { rows, next } = await query(after);
    all.push(...rows);
    if (next === undefined) return all;
    expect(rows).toHaveLength(limit);
    after = { after: next };
  }
}
