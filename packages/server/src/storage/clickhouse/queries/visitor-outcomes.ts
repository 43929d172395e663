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
  const total = (index: number, condition: string) =>
    `arraySum(event -> if(event.1 = number AND ${condition}, toInt128(event.${index}), toInt128(0)), counted)`;
  const [after, before] = ['event.2 >= first_at', 'event.2 < first_at'];
  const totals = [
    ...[total(3, after), total(4, after)],
    ...(preDays > 0 ? [total(3, before), total(4, before)] : []),
  ];
  const names = ['n', 'a', 'n0', 'a0'].slice(0, totals.length);
  const none = totals.map(() => 'toInt128(0)').join(', ');
  // Functions of arrays, because grouping the visitors again would take longer.
  return `SELECT ${columns.join(', ')}, outcome.1 AS goal, ${names.map((name, i) => `outcome.${i + 2} AS ${name}`).join(', ')}
    FROM (
      SELECT *, arrayJoin(arrayPushFront(
        arrayMap(number -> (number, ${totals.join(', ')}), arrayDistinct(counted.1)), (0, ${none}))) AS outcome
      FROM (
        SELECT *, arrayFilter(event -> shown > 0 AND event.2 >= first_at - ${preDays * DAY_MS}, events) AS counted
        FROM (${select})))`;
}
