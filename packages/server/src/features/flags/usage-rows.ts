import { HOUR_MS } from '@switchyard/core/time';
import type { UsageCount } from './evaluation-counts.ts';

export interface UsageRow extends UsageCount {
  readonly hour: number;
}

/** Sums counts that belong to the same row: an insert must not contain a row twice. */
export function mergeByHour(counts: readonly UsageCount[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const count of counts) {
    const hour = count.at - (count.at % HOUR_MS);
    const { propertyId, environmentId, flagKey, value } = count;
    const key = JSON.stringify([propertyId, hour, environmentId, flagKey, value]);
    const row = rows.get(key);
    rows.set(key, {
      ...count,
      hour,
      count: count.count + (row?.count ?? 0),
      at: Math.max(count.at, row?.at ?? 0),
    });
  }
  return [...rows.values()];
}

/** The group of values that a limit or a latest value belongs to, within a property. */
export const flagAndEnvironment = ({ environmentId, flagKey }: UsageRow): string =>
  JSON.stringify([environmentId, flagKey]);

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Rows of one statement. */
const CHUNK_SIZE = 100;

export function* chunksOf<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += CHUNK_SIZE) yield list.slice(start, start + CHUNK_SIZE);
}
