import type { SplitTestFeedbackQuery, VariationFeedback } from '../../../store/split-test-queries.ts';
import { rowsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

type Kind = number | bigint;

/** Feedback from visitors of each variation after their first exposure. The caller holds a snapshot. */
export async function splitTestFeedback(
  context: QueryContext,
  query: SplitTestFeedbackQuery,
): Promise<VariationFeedback[]> {
  const { connection, terms } = context;
  const visitors = SplitTestVisitors.of(context, query);
  if (!visitors) {
    return query.variationKeys.map((variationKey) => ({ variationKey, options: [], messages: [] }));
  }
  const own = `property = ${visitors.property} AND session_key IS NOT NULL AND happened_at < ${query.until}`;
  await visitors.resolve(connection, [`SELECT session_key FROM feedback WHERE ${own}`]);
  const tables = `${visitors.tables},
    entries AS MATERIALIZED (
      SELECT ${visitors.unitOf('feedback')} AS unit, feedback_type, option, message, happened_at
      FROM feedback ${visitors.joinUnits('feedback')} WHERE ${own}),
    units AS (${visitors.countedUnits('WHERE unit IN (SELECT unit FROM entries)')}),
    counted AS (
      SELECT ${visitors.kinds.variationKind} AS kind, feedback_type, option, message, happened_at
      FROM entries JOIN units USING (unit) WHERE ${visitors.kinds.isCounted} AND ${visitors.exposures.inWindow})`;
  const options = await rowsOf<[Kind, number, string, bigint]>(
    connection,
    `WITH ${tables} SELECT kind, feedback_type, option, count(*) FROM counted WHERE option IS NOT NULL
     GROUP BY ALL ORDER BY ALL`,
    visitors.values.list,
  );
  const messages = await rowsOf<[Kind, number, string, string | null, bigint]>(
    connection,
    `WITH ${tables} SELECT kind, feedback_type, message, option, happened_at FROM counted
     WHERE message IS NOT NULL
     QUALIFY row_number() OVER (PARTITION BY kind ORDER BY happened_at DESC, message) <= ${query.messages}
     ORDER BY happened_at DESC, message`,
    visitors.values.list,
  );
  const typeOf = (term: number) => terms.textOf(term) ?? '';
  return query.variationKeys.map((variationKey) => {
    const isCounted = ([kind]: [Kind, ...unknown[]]) => {
      const seen = visitors.kinds.read(kind);
      return seen.variationKey === variationKey && !seen.bot;
    };
    return {
      variationKey,
      options: options
        .filter(isCounted)
        .map(([, type, option, count]) => ({ feedbackTypeId: typeOf(type), option, count: Number(count) })),
      messages: messages.filter(isCounted).map(([, type, message, option, at]) => ({
        feedbackTypeId: typeOf(type),
        message,
        option,
        createdAt: Number(at),
      })),
    };
  });
}
