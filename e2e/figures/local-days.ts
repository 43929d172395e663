/** Days of a time zone, found by looking at the clock on the wall step by step. No code of the product. */

import { DAY_MS, MINUTE_MS } from './visits.ts';

/** All time zones are at a multiple of this from UTC, and clock changes happen at such times. */
const STEP_MS = 15 * MINUTE_MS;

export class LocalDays {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  }

  /** For example `2030-03-31`. */
  #dateOf(time: number): string {
    return this.#format.format(time).slice(0, 10);
  }

  /** The first moment of the day of a time. */
  startOf(time: number): number {
    let start = Math.floor(time / STEP_MS) * STEP_MS;
    while (this.#dateOf(start - 1) === this.#dateOf(time)) start -= STEP_MS;
    return start;
  }

  /** The first moment of the next day. */
  endOf(time: number): number {
    let end = Math.floor(time / STEP_MS) * STEP_MS + STEP_MS;
    while (this.#dateOf(end) === this.#dateOf(time)) end += STEP_MS;
    return end;
  }

  /** The days that a period touches, cut to it; `at` is the beginning of the whole day. */
  between(from: number, to: number): { at: number; from: number; to: number }[] {
    const days: { at: number; from: number; to: number }[] = [];
    for (let at = this.startOf(from); at < to; at = this.endOf(at)) {
      days.push({ at, from: Math.max(from, at), to: Math.min(to, this.endOf(at)) });
    }
    return days;
  }

  /** The time on the clock of an earlier day; for times that this day does not have: the next one it has. */
  sameTimeBefore(time: number, days: number): number {
    let midday = this.startOf(time) + DAY_MS / 2;
    for (let count = 0; count < days; count++) midday = this.startOf(midday) - DAY_MS / 2;
    const wanted = this.#format.format(time).slice(11);
    let found = this.startOf(midday);
    while (
      this.#dateOf(found) === this.#dateOf(midday) &&
      this.#format.format(found).slice(11, 16) < wanted.slice(0, 5)
    ) {
      found += MINUTE_MS;
    }
    return found + (time % MINUTE_MS);
  }
}
