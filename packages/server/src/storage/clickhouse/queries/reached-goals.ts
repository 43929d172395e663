import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestQuery } from '../../event-store.ts';
import type { SqlValues } from '../client/sql-values.ts';
import type { TableNames } from '../schema/table-names.ts';
import type { CountedGoal } from './counted-goals.ts';
import { countsOnce } from './repeated-events.ts';
import type { VisitorEvents } from './split-test-visitors.ts';
import { SESSION_KEY } from './units.ts';

interface Scope {
  tables: TableNames;
  values: SqlValues;
  /** Placeholder of the property. */
  property: string;
}

/** `number` is that of the goal. */
const COLUMNS = { number: '0', at: '0', direction: '0', micros: '0' };

/** Conversions of the goals, and feedback, which counts like conversions; undefined without goals. */
export function reachedGoals(
  scope: Scope,
  { from, until, preDays }: Pick<SplitTestQuery, 'from' | 'until' | 'preDays'>,
  goals: readonly CountedGoal[],
): VisitorEvents | undefined {
  if (goals.length === 0) return undefined;
  const { values, property } = scope;
  const own = `property = ${property} AND has_session AND happened_at < ${values.integer(until)}
    AND happened_at >= ${values.integer(from - preDays * DAY_MS)}`;
  const answers = goals.filter(({ feedback }) => feedback);
  const reached = goals.slice(0, goals.length - answers.length);
  const tables = [
    ...(reached.length > 0 ? [conversions(scope, own, reached)] : []),
    ...(answers.length > 0 ? [feedback(scope, own, answers, reached.length)] : []),
  ];
  return {
    columns: COLUMNS,
    select: tables.map(({ select }) => select).join(' UNION ALL '),
    sessions: tables.map(({ sessions }) => sessions),
  };
}

function conversions({ tables, values, property }: Scope, own: string, goals: readonly CountedGoal[]) {
  const ids = values.texts(goals.map(({ goalId }) => goalId));
  const from = `FROM ${tables.of('conversions')} WHERE ${own} AND has(${ids}, goal)`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, toUInt16(indexOf(${ids}, goal)) AS number, happened_at AS at, direction, amount_micros AS micros
      ${from} AND ${countsOnce(tables, property)}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}

/** An answer can count for several goals. */
function feedback(
  { tables, values, property }: Scope,
  own: string,
  answers: readonly CountedGoal[],
  numberedFrom: number,
) {
  const types = values.texts(answers.map(({ feedback }) => feedback!.type));
  const counts = answers.map(({ feedback }, index) => {
    const option = feedback!.option === undefined ? '' : ` AND option = ${values.text(feedback!.option)}`;
    return `if(feedback_type = ${types}[${index + 1}]${option}, ${numberedFrom + index + 1}, 0)`;
  });
  const from = `FROM ${tables.of('feedback')} WHERE ${own} AND has(${types}, feedback_type)`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, arrayJoin([${counts.join(', ')}]) AS number, happened_at AS at, 1 AS direction,
        0 AS micros
      ${from} AND number > 0 AND ${countsOnce(tables, property)}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}
