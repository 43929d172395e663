import type { TableNames } from '../schema/table-names.ts';

/**
 * Condition on `conversions` or `feedback`: of an event that arrived through different journals, only the row that was
 * received first counts; the others are in `repeated_events`.
 *
 * @param property placeholder of the property; without it, of all properties
 */
export function countsOnce(tables: TableNames, property?: string): string {
  const ofProperty = property === undefined ? '' : `WHERE property = ${property}`;
  return `(source, ordinal) NOT IN (SELECT source, ordinal FROM ${tables.of('repeated_events')} ${ofProperty})`;
}
