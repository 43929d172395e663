import type { SplitTestFeedbackQuery, VariationFeedback } from '../../../store/split-test-queries.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { SESSION_KEY } from '../units.ts';
import { IS_COUNTED, SplitTestVisitors } from './split-test-visitors.ts';

type OptionRow = [shown: number, type: string, option: string, count: string];
type MessageRow = [shown: number, type: string, message: string, option: string | null, at: string];

/** Feedback from visitors of each variation after their first exposure. */
export async function splitTestFeedback(
  { clickhouse, signal }: QueryContext,
  query: SplitTestFeedbackQuery,
): Promise<VariationFeedback[]> {
  const options = answersOf(clickhouse.tables, query, 'option');
  const optionRows = await clickhouse.rows<OptionRow>(
    `SELECT shown, type, option, count() FROM (${options.select})
     GROUP BY shown, type, option ORDER BY shown, type, option`,
    options.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  const messages = answersOf(clickhouse.tables, query, 'message');
  const messageRows = await clickhouse.rows<MessageRow>(
    `SELECT shown, type, message, option, at FROM (${messages.select})
     ORDER BY at DESC, message LIMIT ${messages.values.integer(query.messages)} BY shown`,
    messages.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return query.variationKeys.map((variationKey, index) => ({
    variationKey,
    options: optionRows
      .filter(([shown]) => shown === index + 1)
      .map(([, feedbackTypeId, option, count]) => ({ feedbackTypeId, option, count: Number(count) })),
    messages: messageRows
      .filter(([shown]) => shown === index + 1)
      .map(([, feedbackTypeId, message, option, at]) => ({
        feedbackTypeId,
        message,
        option,
        createdAt: Number(at),
      })),
  }));
}

const COLUMNS = { type: "''", at: '0', option: 'NULL', message: 'NULL' };

/** SELECT of the answers that have an option or a message: the visitor's variation (`shown`) and `event`. */
function answersOf(tables: TableNames, query: SplitTestFeedbackQuery, column: 'option' | 'message') {
  const visitors = new SplitTestVisitors(tables, query);
  const { property, values } = visitors;
  const from = `FROM ${tables.of('feedback')} WHERE property = ${property} AND has_session
    AND happened_at < ${values.integer(query.until)} AND ${column} IS NOT NULL`;
  const events = {
    columns: COLUMNS,
    select: `SELECT ${SESSION_KEY} AS session, toString(feedback_type) AS type, happened_at AS at, toString(option) AS option,
        ${column === 'message' ? 'message' : 'NULL AS message'}
      ${from} AND ${countsOnce(tables, property)}`,
    sessions: [`SELECT ${SESSION_KEY} ${from}`],
  };
  const select = `SELECT shown, event.1 AS type, event.2 AS at, event.3 AS option, event.4 AS message FROM (
      SELECT shown, arrayJoin(${visitors.outcomes}) AS event
      FROM (${visitors.units(events)}) WHERE ${IS_COUNTED} AND NOT is_bot)`;
  return { select, values };
}
