import {
  ERASURES_SOURCE,
  type NewFeedback,
  type NewFeedbackQuery,
  type Positions,
} from '../../../store/event-store.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { isAfter, storedPositions } from '../positions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { withinBytes } from '../sessions/within-bytes.ts';
import { type EntryRow, entriesOf, FEEDBACK_COLUMNS, FEEDBACK_SELECTED } from './feedback-page.ts';

type ArrivedRow = [...EntryRow, source: string, seq: string, available: string];

const ORDER = 'source, ordinal';

/** By source, then in order of arrival. */
export async function newFeedback(
  context: QueryContext,
  { propertyId, after, from = 0, limit }: NewFeedbackQuery,
): Promise<NewFeedback> {
  const { clickhouse } = context;
  const { [ERASURES_SOURCE]: _erasures, ...stored } = await storedPositions(context);
  const values = new SqlValues();
  const property = values.text(propertyId);
  const conditions = [
    `property = ${property}`,
    isAfter(after, values),
    // A batch that is being stored comes later as a whole.
    `NOT (${isAfter(stored, values)})`,
    `happened_at >= ${values.integer(from)}`,
    countsOnce(clickhouse.tables, property),
  ];
  const rows = await clickhouse.rows<ArrivedRow>(
    withinBytes(
      `${FEEDBACK_COLUMNS}, source, seq`,
      // One extra row, to detect whether there are more.
      `SELECT ${FEEDBACK_SELECTED}, source, seq, ordinal FROM ${clickhouse.tables.of('feedback')}
       WHERE ${conditions.join(' AND ')} ORDER BY ${ORDER} LIMIT ${values.integer(limit + 1)}`,
      ORDER,
    ),
    values.parameters,
  );
  const shown = rows.slice(0, limit);
  const isEnd = shown.length === Number(rows[0]?.[9] ?? 0);
  return {
    entries: await entriesOf(context, propertyId, shown),
    next: isEnd ? { ...after, ...stored } : positionsUpTo(after, stored, shown.at(-1)),
  };
}

/** The sources before that of the last row were read to their end, those after it not at all. */
function positionsUpTo(after: Positions, stored: Positions, last: ArrivedRow | undefined): Positions {
  if (last === undefined) return after;
  const source = Buffer.from(last[7]);
  const before = Object.entries(stored).filter(([name]) => Buffer.compare(Buffer.from(name), source) < 0);
  return { ...after, ...Object.fromEntries(before), [last[7]]: Number(last[8]) };
}
