import type { Segment } from '../api/targeting.ts';

/** How names, times and shares appear in sentences. */
export interface SentenceFormat {
  segments: readonly Pick<Segment, 'id' | 'name'>[];
  /** Unix milliseconds. */
  time: (at: number) => string;
  /** 0 to 100. */
  percent: (percentage: number) => string;
  /** Further conditions are only counted. Default: all are listed */
  maxConditions?: number;
}
