/** Drops null values. */
export function withoutNulls<Name extends string>(
  texts: Record<Name, string | null>,
): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<Name, string>
  >;
}
