import { IS_COUNTED, type SplitTestVisitors } from './split-test-visitors.ts';

/** SQL for the segments that are counted separately. */
export interface SegmentColumns {
  /** Column for a SELECT of visitors with `segment`: the names below need it. Planning each mention takes time. */
  isLargest: string | undefined;
  /** Null for all other segments and for unknown values. */
  name: string;
  isOther: string;
}

/** Counts the largest segments separately and combines the others. For an unsegmented query there is nothing to count. */
export function largestSegments(visitors: SplitTestVisitors, max: number): SegmentColumns {
  if (!visitors.isSegmented) return { isLargest: undefined, name: 'NULL', isOther: 'false' };
  // By the number of visitors that count for results: no bots, and only one variation seen, in earlier phases too.
  const largest = `SELECT segment FROM (${visitors.units()}) WHERE segment IS NOT NULL
    GROUP BY segment ORDER BY countIf(${IS_COUNTED} AND NOT is_bot) DESC, segment LIMIT ${visitors.values.integer(max)}`;
  return {
    isLargest: `ifNull(segment GLOBAL IN (${largest}), false) AS is_largest`,
    name: 'if(is_largest, segment, NULL)',
    isOther: 'toBool(segment IS NOT NULL AND NOT is_largest)',
  };
}
