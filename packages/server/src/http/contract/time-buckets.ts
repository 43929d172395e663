import type { CalendarUnit, TimeZone } from '@switchyard/core/time-zone';

export interface TimeBucket {
  at: number;
  /** A part of it is outside of the period, or has not happened yet. */
  partial?: true;
}

/** All buckets of a period; the first may start before it. */
export function timeBuckets(
  zone: TimeZone,
  unit: CalendarUnit,
  { from, to, now }: { from: number; to: number; now: number },
): TimeBucket[] {
  const starts = zone.starts(unit, from, to);
  return starts.map((at, index) => {
    const end = starts[index + 1] ?? zone.endOf(unit, at);
    const isPartial = at < from || end > Math.min(to, now + 1);
    return { at, ...(isPartial && { partial: true }) };
  });
}
