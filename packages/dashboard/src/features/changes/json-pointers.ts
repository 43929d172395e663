const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value that a JSON Pointer refers to; undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
    document,
  );
}

/** A copy of a document that has the values of another one at some pointers. */
export function copyPointers(document: object, from: object, pointers: readonly string[]): object {
  const copy = structuredClone(document);
  for (const pointer of pointers) {
    const segments = segmentsOf(pointer);
    const name = segments.pop();
    const parent = segments.reduce<unknown>(
      (value, segment) =>
        typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
      copy,
    );
    if (name === undefined || typeof parent !== 'object' || parent === null) continue;
    const value = valueAt(from, pointer);
    if (value === undefined) Reflect.deleteProperty(parent, name);
    else Reflect.set(parent, name, structuredClone(value));
  }
  return copy;
}
