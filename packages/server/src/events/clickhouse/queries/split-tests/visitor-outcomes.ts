import { DAY_MS } from '@switchyard/core/time';

/** A SELECT of visitors, and what to do with it. */
interface Visitors {
  /** Names of the columns to keep. */
  columns: readonly string[];
  /** SELECT of the visitors: the columns, and what the conditions need; `events` are those of `reachedGoals`. */
  select: string;
  /** Number of the goals; 0 if the visitors have no `events`. */
  goals: number;
  /** Condition on visitors whose outcomes count. */
  isCounted: string;
  /** Condition on the time of an event. */
  isOutcome: (time: string) => string;
  covariate?: Covariate | undefined;
}

/** What visitors with `first_ever` did in the days before it. */
interface Covariate {
  preDays: number;
  /** Numbers of the goals whose amounts are `r0`. */
  revenueGoals: readonly number[];
}

/**
 * SELECT of the visitors' outcomes: a row with `goal` 0 per visitor, and one per counted visitor and goal with events. `n`
 * and `a` are count and amount of the outcomes. With a covariate, `n0` and `a0` are those before the first exposure; `s0` and
 * `r0` are sessions and revenue before it, the same in all rows of the visitor. Wide integers, which cannot overflow.
 */
export function visitorOutcomes(visitors: Visitors): string {
  const { columns, select, goals, isCounted, covariate } = visitors;
  if (goals === 0 && !covariate) return `SELECT ${columns.join(', ')}, 0 AS goal FROM (${select})`;
  const total = (index: number, events: string) =>
    `arraySum(event -> if(event.1 = number, toInt128(event.${index}), toInt128(0)), ${events})`;
  const periods = ['after_entry', ...(covariate ? ['before_test'] : [])];
  const totals = periods.flatMap((events) => [total(3, events), total(4, events)]);
  const names = ['n', 'a', 'n0', 'a0'].slice(0, totals.length);
  const none = totals.map(() => 'toInt128(0)').join(', ');
  const kept = [...columns, ...(covariate ? ['s0', 'r0'] : [])];
  const numbers = `arrayFilter(number -> ${isCounted} AND number BETWEEN 1 AND ${goals},
    arrayDistinct(arrayConcat(${periods.map((events) => `${events}.1`).join(', ')})))`;
  // Functions of arrays, because grouping the visitors again would take longer.
  return `SELECT ${kept.join(', ')}, outcome.1 AS goal, ${names.map((name, i) => `outcome.${i + 2} AS ${name}`).join(', ')}
    FROM (
      SELECT *, arrayJoin(arrayPushFront(
        arrayMap(number -> (number, ${totals.join(', ')}), ${numbers}), (0, ${none}))) AS outcome
      FROM (${withPeriods(visitors)} FROM (${select})))`;
}

/** The beginning of a SELECT that splits the events by time. */
function withPeriods({ isOutcome, covariate }: Visitors): string {
  const after = `arrayFilter(event -> ${isOutcome('event.2')}, events) AS after_entry`;
  if (!covariate) return `SELECT *, ${after}`;
  const { preDays, revenueGoals } = covariate;
  const isBefore = `event.2 < first_ever AND event.2 >= first_ever - ${preDays * DAY_MS}`;
  const revenue =
    revenueGoals.length === 0
      ? 'toInt128(0)'
      : `arraySum(event -> if(event.1 IN (${revenueGoals.join(', ')}), toInt128(event.4), toInt128(0)), before_test)`;
  return `SELECT *, ${after}, arrayFilter(event -> ${isBefore}, events) AS before_test,
    arrayCount(event -> event.1 = 0, before_test) AS s0, ${revenue} AS r0`;
}
