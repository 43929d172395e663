import type { TableNames } from '../schema/table-names.ts';

const EVENT_ID = { conversions: 'event_id', feedback: 'feedback_id' } as const;

/**
 * Condition on `conversions` or `feedback`: of the rows with the same id that arrived through different journals, only the
 * one that was received first counts. Rows that other conditions of the statement exclude matter here too.
 *
 * @param property placeholder of the property; without it, of all properties
 */
export function countsOnce(tables: TableNames, table: 'conversions' | 'feedback', property?: string): string {
  const id = EVENT_ID[table];
  const ofProperty = property === undefined ? '' : `property = ${property} AND `;
  return `(${id} = '' OR (source, ordinal) NOT IN (
    SELECT repeated.2, repeated.3 FROM (
      SELECT arrayJoin(arrayPopFront(arraySort(arrivals))) AS repeated FROM (
        SELECT groupArray((received_at, toString(source), ordinal)) AS arrivals FROM ${tables.of(table)}
        WHERE ${ofProperty}${id} <> '' GROUP BY property, ${id} HAVING min(source) <> max(source)))))`;
}
