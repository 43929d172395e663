import type { SplitTestVisitors } from './split-test-visitors.ts';

/** SELECT of the visitors (`unit`) who are in the results of a test, with the key of their variation as `segment`. */
export function seenElsewhere(other: SplitTestVisitors): string {
  const { kinds } = other;
  return `WITH ${other.tables}
    SELECT unit, ${kinds.variationText} AS segment
    FROM (${other.countedUnits()}) WHERE ${kinds.isCounted} AND NOT ${kinds.isBot}`;
}
