import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { countsOnce } from '../repeated-events.ts';
import { SESSION_KEY } from '../units.ts';
import type { CountedGoal } from './counted-goals.ts';
import type { VisitorEvents } from './split-test-visitors.ts';

interface Scope {
  tables: TableNames;
  values: SqlValues;
  /** Placeholder of the property. */
  property: string;
}

/** Times of events: `since` inclusive, `until` exclusive. */
export interface EventPeriod {
  since: number;
  until: number;
}

/** `number` is that of the goal; 0 for what is none. */
export const EVENT_COLUMNS = { number: '0', at: '0', direction: '0', micros: '0' };

/** Conversions of the goals, and feedback, which counts like conversions; undefined without goals. */
export function reachedGoals(
  scope: Scope,
  { since, until }: EventPeriod,
  goals: readonly CountedGoal[],
): VisitorEvents | undefined {
  if (goals.length === 0) return undefined;
  const { values, property } = scope;
  const own = `property = ${property} AND has_session AND happened_at < ${values.integer(until)}
    AND happened_at >= ${values.integer(since)}`;
  const numbered = goals.map((goal, index) => ({ ...goal, number: index + 1 }));
  const answers = numbered.filter(({ feedback }) => feedback);
  const reached = numbered.filter(({ feedback }) => !feedback);
  const tables = [
    ...(reached.length > 0 ? [conversions(scope, own, reached)] : []),
    ...(answers.length > 0 ? [feedback(scope, own, answers)] : []),
  ];
  return {
    columns: EVENT_COLUMNS,
    select: tables.map(({ select }) => select).join(' UNION ALL '),
    sessions: tables.map(({ sessions }) => sessions),
  };
}

type NumberedGoal = CountedGoal & { number: number };

function conversions({ tables, values, property }: Scope, own: string, goals: readonly NumberedGoal[]) {
  const ids = values.texts(goals.map(({ goalId }) => goalId));
  const numbers = values.integers(goals.map(({ number }) => number));
  const from = `FROM ${tables.of('conversions')} WHERE ${own} AND has(${ids}, goal)`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, toUInt16(${numbers}[indexOf(${ids}, goal)]) AS number, happened_at AS at, direction,
        amount_micros AS micros
      ${from} AND ${countsOnce(tables, property)}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}

/** An answer can count for several goals. */
function feedback({ tables, values, property }: Scope, own: string, answers: readonly NumberedGoal[]) {
  const types = values.texts(answers.map(({ feedback }) => feedback!.type));
  const counts = answers.map(({ feedback, number }, index) => {
    const option = feedback!.option === undefined ? '' : ` AND option = ${values.text(feedback!.option)}`;
    return `if(feedback_type = ${types}[${index + 1}]${option}, ${number}, 0)`;
  });
  const from = `FROM ${tables.of('feedback')} WHERE ${own} AND has(${types}, feedback_type)`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, arrayJoin([${counts.join(', ')}]) AS number, happened_at AS at, 1 AS direction,
        0 AS micros
      ${from} AND number > 0 AND ${countsOnce(tables, property)}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}
