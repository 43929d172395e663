import { PAGE_BYTES } from '../../../store/page.ts';

/**
 * SQL that limits an ordered page to `PAGE_BYTES`, but always returns the first row. `select` must have a column `bytes`;
 * adds the column `available`: the number of rows before the limit.
 */
export function withinBytes(columns: string, select: string, order: string): string {
  return `SELECT ${columns}, available FROM (
      SELECT *, count() OVER () AS available,
             sum(bytes) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${select}))
    WHERE bytes_before < ${PAGE_BYTES} ORDER BY ${order}`;
}

/** JSON keys and short values. */
const OTHER_BYTES = 200;

/** SQL for the approximate size of a row as JSON: texts are escaped, stored JSON is not. */
export function jsonBytes(texts: readonly string[], json: readonly string[]): string {
  const lengths = [
    ...texts.map((text) => `length(toJSONString(${text}))`),
    ...json.map((text) => `length(${text})`),
  ];
  return [`${OTHER_BYTES}`, ...lengths.map((length) => `ifNull(${length}, 0)`)].join(' + ');
}
