import { DAY_MS, HOUR_MS } from './time.ts';

export type CalendarUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter';

/** A time with a constant offset from UTC: until the next one starts. */
export interface ClockSpan {
  /** Inclusive; `-Infinity` for the first. */
  from: number;
  /** Milliseconds to add to UTC. */
  offset: number;
}

/**
 * Part of a period whose buckets follow one rule: a bucket around a clock change has a fixed start, all others are
 * aligned to the time with the offset.
 */
export type BucketSpan = { to: number } & ({ start: number } | { offset: number });

/** The Unix epoch was a Thursday, and weeks start on Monday. */
const FIRST_MONDAY = 4 * DAY_MS;
/** Clock changes are looked up in these years; before and after them the clock stays. */
const YEARS = { first: 1970, last: 2100 };
/** Clocks stay the same for at least a month. */
const LOOK_EVERY_MS = 14 * DAY_MS;
/** No clock is further from UTC. */
const MAX_OFFSET_MS = 15 * HOUR_MS;

interface ClockYear {
  /** At its start. */
  offset: number;
  changes: ClockSpan[];
}

const floorTo = (time: number, length: number, origin = 0) =>
  Math.floor((time - origin) / length) * length + origin;

/** The calendar of a place. Days are those of its clocks, with 23 or 25 hours when these change. */
export class TimeZone {
  readonly name: string;
  readonly #clock: Intl.DateTimeFormat;
  readonly #years = new Map<number, ClockYear>();

  constructor(name: string) {
    this.name = name;
    this.#clock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The offsets that are in force between two times, in order. */
  clockSpans(from: number, to: number): ClockSpan[] {
    const year = yearOf(from);
    const first = { from: Number.NEGATIVE_INFINITY, offset: this.#year(year).offset };
    const spans: ClockSpan[] = [first];
    for (let each = year; each <= yearOf(to); each++) {
      for (const change of this.#year(each).changes) {
        if (change.from <= from) first.offset = change.offset;
        else if (change.from < to) spans.push(change);
      }
    }
    return spans;
  }

  /** What clocks show, as if it were UTC. */
  local(time: number): number {
    return time + this.clockSpans(time, time + 1)[0]!.offset;
  }

  /** The first moment at which clocks show this time or a later one. */
  instant(local: number): number {
    const spans = this.clockSpans(local - MAX_OFFSET_MS, local + MAX_OFFSET_MS);
    for (const [index, { from, offset }] of spans.entries()) {
      const time = Math.max(from, local - offset);
      if (time < (spans[index + 1]?.from ?? Number.POSITIVE_INFINITY)) return time;
    }
    return local;
  }

  /** The start of the hour, day, week, month or quarter of a time. */
  startOf(unit: CalendarUnit, time: number): number {
    return this.#rangeOf(unit, time)[0];
  }

  /** The end of the hour, day, week, month or quarter of a time. */
  endOf(unit: CalendarUnit, time: number): number {
    return this.#rangeOf(unit, time)[1];
  }

  /** The time some days later or earlier at which clocks show the same. */
  addDays(time: number, days: number): number {
    const local = this.local(time);
    // Where midnight is left out, a day starts later.
    const shown = this.startOf('day', time) === time ? startOfLocal('day', local) : local;
    return this.instant(shown + days * DAY_MS);
  }

  /** Starts of all units between two times; the first may be before `from`. */
  starts(unit: CalendarUnit, from: number, to: number): number[] {
    const starts: number[] = [];
    for (let at = this.startOf(unit, from); at < to; at = this.endOf(unit, at)) starts.push(at);
    return starts;
  }

  /** The rules for buckets of a period, for SQL. */
  bucketSpans(unit: 'hour' | 'day' | 'week', from: number, to: number): BucketSpan[] {
    const [first, ...changes] = this.clockSpans(this.startOf(unit, from), to);
    const spans: BucketSpan[] = [];
    let { offset } = first!;
    for (const change of changes) {
      const [start, end] = this.#rangeOf(unit, change.from);
      spans.push({ to: change.from, offset }, { to: end, start });
      offset = change.offset;
    }
    return [...spans, { to: Number.POSITIVE_INFINITY, offset }];
  }

  #rangeOf(unit: CalendarUnit, time: number): [start: number, end: number] {
    if (unit === 'hour') return this.#hourOf(time);
    const local = startOfLocal(unit, this.local(time));
    const next = nextLocal(unit, local);
    const end = this.instant(next);
    // Clocks that are set back across midnight show the day before again; it is over nevertheless.
    if (end <= time) return [end, this.instant(nextLocal(unit, next))];
    return [this.instant(local), end];
  }

  /** A clock change ends an hour, for those that change by half an hour. */
  #hourOf(time: number): [start: number, end: number] {
    const spans = this.clockSpans(time - HOUR_MS, time + HOUR_MS + 1);
    const index = spans.findLastIndex(({ from }) => from <= time);
    const { from, offset } = spans[index]!;
    const start = floorTo(time + offset, HOUR_MS) - offset;
    return [
      Math.max(start, from),
      Math.min(start + HOUR_MS, spans[index + 1]?.from ?? Number.POSITIVE_INFINITY),
    ];
  }

  #year(year: number): ClockYear {
    const known = this.#years.get(year);
    if (known) return known;
    const end = Date.UTC(year + 1, 0);
    let from = Date.UTC(year, 0);
    let offset = this.#read(from);
    const found: ClockYear = { offset, changes: [] };
    while (from < end) {
      const to = Math.min(from + LOOK_EVERY_MS, end);
      const next = this.#read(to);
      if (next !== offset) found.changes.push({ from: this.#changeBetween(from, to, offset), offset: next });
      [from, offset] = [to, next];
    }
    this.#years.set(year, found);
    return found;
  }

  /** The first second with another offset. */
  #changeBetween(from: number, to: number, offset: number): number {
    let [before, after] = [from / 1000, to / 1000];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#read(middle * 1000) === offset) before = middle;
      else after = middle;
    }
    return after * 1000;
  }

  /** The offset at a whole second. */
  #read(time: number): number {
    const [month, day, year, hour, minute, second] = this.#clock.format(time).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - time;
  }
}

const yearOf = (time: number) =>
  new Date(Math.min(Math.max(time, Date.UTC(YEARS.first)), Date.UTC(YEARS.last))).getUTCFullYear();

function startOfLocal(unit: CalendarUnit, local: number): number {
  if (unit === 'day') return floorTo(local, DAY_MS);
  if (unit === 'week') return floorTo(local, 7 * DAY_MS, FIRST_MONDAY);
  const date = new Date(local);
  const month = date.getUTCMonth();
  return Date.UTC(date.getUTCFullYear(), unit === 'month' ? month : month - (month % 3));
}

function nextLocal(unit: CalendarUnit, local: number): number {
  if (unit === 'day') return local + DAY_MS;
  if (unit === 'week') return local + 7 * DAY_MS;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (unit === 'month' ? 1 : 3));
}

const zones = new Map<string, TimeZone>();

/** The calendar of a zone; UTC for a name that only a newer version of the time zone database has. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  const zone = new TimeZone(isTimeZone(name) ? name : 'UTC');
  zones.set(name, zone);
  return zone;
}

/** Whether this is a name of the IANA database, such as Europe/Berlin; offsets such as +01:00 are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
