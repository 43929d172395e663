import { DAY_MS, type Goal } from '../history.ts';
import type { Recorded } from './recorded.ts';

const MICROS = 1e6;

/** Progress of a goal between two times, and in the period of the same length before; with or without a session. */
export function expectedProgress({ conversions }: Recorded, { id, kind }: Goal, from: number, to: number) {
  const between = (start: number, end: number) => {
    const own = conversions.filter(({ goalId, at }) => goalId === id && at >= start && at < end);
    const total = (direction: number) => {
      const list = own.filter((it) => it.direction === direction);
      return { count: list.length, amount: list.reduce((sum, { micros }) => sum + micros, 0) / MICROS };
    };
    const [more, less] = [total(1), total(-1)];
    const [gross, reversed] = kind === 'count' ? [more.count, less.count] : [more.amount, less.amount];
    return {
      total: gross - reversed,
      count: more.count - less.count,
      gross,
      reversed,
      increments: more.count,
      decrements: less.count,
    };
  };
  const series: object[] = [];
  const firstDay = Math.floor(from / DAY_MS) * DAY_MS;
  for (let at = firstDay; at < to; at += DAY_MS) {
    series.push({ at, ...between(Math.max(at, from), Math.min(at + DAY_MS, to)) });
  }
  return {
    goalId: id,
    kind,
    current: between(from, to),
    previous: between(from - (to - from), from),
    series,
  };
}
