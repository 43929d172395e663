import { DAY_MS } from '../../time.ts';
import type { ReportInput } from './report-input.ts';

/** By the start of the day. */
export function exposuresByDay(exposures: ReportInput['exposures']): Map<number, number> {
  const byDay = new Map<number, number>();
  for (const { at, exposures: count } of exposures) byDay.set(at, (byDay.get(at) ?? 0) + count);
  return byDay;
}

/** Whether the test was paused at any time of a day. */
export const isPausedOn = (day: number, pauses: ReportInput['pauses'] = []) =>
  pauses.some(({ from, to }) => from < day + DAY_MS && (to ?? Infinity) > day);

/** The full days of the phase on which the test was not paused, oldest first. */
export function fullDays({
  startedAt,
  endedAt,
  asOf,
  pauses,
}: Pick<ReportInput, 'startedAt' | 'endedAt' | 'asOf' | 'pauses'>): number[] {
  const days: number[] = [];
  const end = Math.min(endedAt ?? asOf, asOf);
  for (let day = Math.ceil(startedAt / DAY_MS) * DAY_MS; day + DAY_MS <= end; day += DAY_MS) {
    if (!isPausedOn(day, pauses)) days.push(day);
  }
  return days;
}
