import type { Report } from './rule-context.ts';

export function reportRepeated<Field extends string>(
  entries: readonly Readonly<Record<Field, string>>[],
  field: Field,
  path: string,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const value = entry[field];
    if (seen.has(value)) report(`${path}/${index}/${field}`, `"${value}" is already in this list`);
    seen.add(value);
  }
}
