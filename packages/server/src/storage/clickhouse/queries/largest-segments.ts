import type { SplitTestVisitors } from './split-test-visitors.ts';

/** SQL for the segments that are counted separately. */
export interface SegmentColumns {
  /** Null for all other segments and for unknown values. */
  name: string;
  isOther: string;
}

/** Counts the largest segments separately and combines the others. For an unsegmented query there is nothing to count. */
export function largestSegments(visitors: SplitTestVisitors, max: number): SegmentColumns {
  if (!visitors.isSegmented) return { name: 'NULL', isOther: 'false' };
  // By the number of visitors that count for results: no bots, and only one variation seen.
  const largest = `SELECT segment FROM (${visitors.units()}) WHERE segment IS NOT NULL
    GROUP BY segment ORDER BY countIf(shown > 0 AND NOT is_bot) DESC, segment LIMIT ${visitors.values.integer(max)}`;
  const isLargest = `ifNull(segment GLOBAL IN (${largest}), false)`;
  return {
    name: `if(${isLargest}, segment, NULL)`,
    isOther: `toBool(segment IS NOT NULL AND NOT ${isLargest})`,
  };
}
