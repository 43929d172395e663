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
