/** A line of a CSV file. */
export function csvRow(values: readonly (string | number)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

/** Prefixes text that a spreadsheet would treat as a formula. */
function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
