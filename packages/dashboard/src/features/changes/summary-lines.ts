/** Changes in words. The item is known, so its name at the beginning of each line is left out. */
export function summaryLines(
  summary: readonly string[],
  { type, key }: { type: string; key: string },
): string[] {
  const subject = capital(`${type.replace('-', ' ')} ${key} – `);
  return summary.map((line) => (line.startsWith(subject) ? capital(line.slice(subject.length)) : line));
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
