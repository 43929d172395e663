import { DAY_MS } from '@switchyard/core/time';

/** A SELECT of visitors, and what to do with it. */
interface Visitors {
  /** Names of the columns to keep. */
  columns: readonly string[];
  /** SELECT of the visitors: the columns, `unit`, `first_at`, `shown`, and `events` if they have those of `reachedGoals`. */
  select: string;
  hasEvents: boolean;
  /** Earlier events do not count. */
  preDays: number;
}

/**
 * SELECT of the visitors' outcomes: a row with `goal` 0 per visitor, and one per visitor and goal with events, except for
 * visitors of several variations. `n` and `a` are count and amount since the first exposure, `n0` and `a0` those before
 * it. Wide integers, which cannot overflow.
 */
export function visitorOutcomes({ columns, select, hasEvents, preDays }: Visitors): string {
  if (!hasEvents) return `SELECT ${columns.join(', ')}, 0 AS goal FROM (${select})`;
  const sum = (index: number, condition: string) => `sumIf(toInt128(event.${index}), ${condition})`;
  const [after, before] = ['event.2 >= first_at', 'event.2 < first_at'];
  return `SELECT ${columns.map((name) => `any(unit_${name}) AS ${name}`).join(', ')}, event.1 AS goal,
      ${sum(3, after)} AS n, ${sum(4, after)} AS a
      ${preDays > 0 ? `, ${sum(3, before)} AS n0, ${sum(4, before)} AS a0` : ''}
    FROM (
      SELECT ${columns.map((name) => `${name} AS unit_${name}`).join(', ')}, unit, first_at,
             shown > 0 AS is_counted, arrayJoin(arrayPushFront(events, (0, first_at, 0, 0))) AS event
      FROM (${select}))
    WHERE event.1 = 0 OR (is_counted AND event.2 >= first_at - ${preDays * DAY_MS})
    GROUP BY unit, goal`;
}
