import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../connection/sql.ts';
import type { GoalTerm } from '../goals/goal-terms.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

interface Period {
  /** Nothing earlier counts; default: anything may. */
  since?: number;
  until: number;
}

/** SQL for the conversions of the goals, and for feedback, which counts like conversions. */
export class ReachedGoals {
  readonly #visitors: SplitTestVisitors;
  readonly #period: string;
  readonly #goals: readonly GoalTerm[];
  readonly #feedback: readonly GoalTerm[];
  #wanted: string | undefined;

  constructor(visitors: SplitTestVisitors, { since, until }: Period, goals: readonly GoalTerm[]) {
    this.#visitors = visitors;
    this.#period = `happened_at < ${until}${since === undefined ? '' : ` AND happened_at >= ${since}`}`;
    this.#goals = goals.filter(({ feedback }) => !feedback);
    this.#feedback = goals.filter(({ feedback }) => feedback);
  }

  /** Selects the sessions of all events that meet a condition. */
  sessions(where: string): string[] {
    const selects: string[] = [];
    if (this.#goals.length > 0)
      selects.push(`SELECT session_key FROM conversions WHERE ${this.#converted} AND ${where}`);
    if (this.#feedback.length > 0)
      selects.push(`SELECT session_key FROM feedback WHERE ${this.#answered} AND ${where}`);
    return selects;
  }

  /** Number of events of all goals. */
  async count(connection: DuckDBConnection): Promise<number> {
    const selects = this.sessions('true');
    if (selects.length === 0) return 0;
    const [row] = await rowsOf<[bigint]>(connection, `SELECT count(*) FROM (${selects.join(' UNION ALL ')})`);
    return Number(row![0]);
  }

  /** Selects the sessions of events that were stored without their visitor; feedback always is. */
  get unresolved(): string[] {
    const selects: string[] = [];
    if (this.#goals.length > 0) {
      selects.push(`SELECT session_key FROM conversions WHERE ${this.#converted} AND unit_key IS NULL`);
    }
    if (this.#feedback.length > 0) selects.push(`SELECT session_key FROM feedback WHERE ${this.#answered}`);
    return selects;
  }

  /** Common table expressions, among them `reached`; the caller adds `units`. */
  get tables(): string {
    const selects: string[] = [];
    if (this.#goals.length > 0) selects.push(this.#conversions);
    if (this.#feedback.length > 0) selects.push(this.#answers);
    return `${this.#visitors.tables},
    reached AS (
      ${selects.join(`
      UNION ALL
      `)})`;
  }

  get #conversions(): string {
    return `SELECT ${this.#visitors.unitOf('conversions')} AS unit, goal, happened_at, direction, amount_micros
      FROM ${this.#visitors.tableOf('conversions')} ${this.#visitors.joinUnits('conversions')}
      WHERE ${this.#converted} AND ${this.#visitors.isRead}
        AND ${this.#visitors.inPart(this.#visitors.unitOf('conversions'))}`;
  }

  get #answers(): string {
    // Added once: the statement is built for every part of the visitors.
    this.#wanted ??= this.#wantedAnswers();
    return `SELECT ${this.#visitors.unitOf('feedback')} AS unit, goal, happened_at, 1 AS direction, 0::BIGINT AS amount_micros
      FROM ${this.#visitors.tableOf('feedback')} JOIN (VALUES ${this.#wanted}) AS wanted (goal, feedback_type, wanted_option) USING (feedback_type)
      ${this.#visitors.joinUnits('feedback')}
      WHERE ${this.#answered} AND ${this.#visitors.isRead} AND (wanted_option IS NULL OR option = wanted_option)
        AND ${this.#visitors.inPart(this.#visitors.unitOf('feedback'))}`;
  }

  #wantedAnswers(): string {
    const optionOf = (option: string | undefined) =>
      option === undefined ? 'NULL' : this.#visitors.values.add(option);
    return this.#feedback
      .map(({ term, feedback }) => `(${term}, ${feedback!.type}, ${optionOf(feedback!.option)}::VARCHAR)`)
      .join(', ');
  }

  /** Condition on `conversions`. */
  get #converted(): string {
    return `property = ${this.#visitors.property} AND session_key IS NOT NULL
    AND goal IN (${this.#goals.map(({ term }) => term).join(', ')})
    AND ${this.#period}`;
  }

  /** Condition on `feedback`. */
  get #answered(): string {
    const types = new Set(this.#feedback.map(({ feedback }) => feedback!.type));
    return `property = ${this.#visitors.property} AND session_key IS NOT NULL
        AND feedback_type IN (${[...types].join(', ')}) AND ${this.#period}`;
  }
}
