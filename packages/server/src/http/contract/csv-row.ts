/** At the start of a file: without it, some spreadsheets misread letters beyond ASCII. */
export const BYTE_ORDER_MARK = '\ufeff';

/** What starts a formula in some spreadsheet, also in full width, and after spaces that it removes. */
const FORMULA_START = /^[\s\u200b\ufeff]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Depending on the language, spreadsheets separate by semicolon or tab as well. */
const QUOTED = /[",;\t\r\n]/;

/** A line of a CSV file. */
export function csvRow(values: readonly (string | number)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

/** Prefixes text that a spreadsheet would treat as a formula. */
function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
