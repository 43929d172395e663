import type { Interval } from '@switchyard/core/api/goals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@switchyard/core/time';

/** How many of the times are in each bucket, by what clocks show, minute by minute: `[start, count]`, in order. */
export function naiveBuckets(zone: string, interval: Interval, times: readonly number[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const start = naiveStart(zone, interval, time);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** Goes back from a time until the clock shows another hour, day or week. */
function naiveStart(zone: string, interval: Interval, time: number): number {
  const key = `${zone} ${interval} ${Math.floor(time / MINUTE_MS)}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const { label, offset } = shown(zone, interval, time);
  const isSame = (at: number) => {
    const it = shown(zone, interval, at);
    return it.label === label && (interval !== 'hour' || it.offset === offset);
  };
  let start = time - (time % MINUTE_MS);
  // In large steps first.
  for (const step of [interval === 'hour' ? MINUTE_MS : 6 * HOUR_MS, MINUTE_MS]) {
    while (isSame(start - step)) start -= step;
  }
  starts.set(key, start);
  return start;
}

const starts = new Map<string, number>();
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a clock shows, as if it were UTC. */
export function naiveLocal(zone: string, time: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  clocks.set(zone, clock);
  return Date.parse(`${clock.format(time).replace(' ', 'T')}Z`) + (time % 1000);
}

/** What a clock shows, and how far it is from UTC. */
function shown(zone: string, interval: Interval, time: number): { label: string; offset: number } {
  const local = naiveLocal(zone, time);
  const text = new Date(local).toISOString();
  const monday = local - ((new Date(local).getUTCDay() + 6) % 7) * DAY_MS;
  const label = {
    hour: text.slice(0, 13),
    day: text.slice(0, 10),
    week: new Date(monday).toISOString().slice(0, 10),
  }[interval];
  return { label, offset: local - time };
}
