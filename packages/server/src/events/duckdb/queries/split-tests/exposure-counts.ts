import type { DayRange } from '../../../store/split-test-queries.ts';

/** Exposures of a day of the same kind. */
export interface ExposureCount {
  kind: number | bigint;
  day: number;
  exposures: number;
}

export interface ExposureCounts {
  days: DayRange;
  counts: readonly ExposureCount[];
  total: number;
  firstReceivedAt: number;
  /** The earliest time that a visitor may have been exposed at. */
  firstSeenAt: number;
}
