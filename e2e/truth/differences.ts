const TOLERANCE = 1e-9;

/**
 * Where a response differs from what is expected. Members that are not expected are ignored; lists must have the same
 * length. Numbers agree to 1e-9, relative to their size or to `scale`; p-values, if their statistics do.
 */
export function differences(expected: unknown, actual: unknown, path = '', scale = 0): string[] {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const size = Math.max(Math.abs(expected), Math.abs(actual), scale);
    return Math.abs(expected - actual) <= TOLERANCE * size * sensitivity(path, size)
      ? []
      : [`${path}: expected ${expected}, got ${actual}`];
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    return expected === actual
      ? []
      : [`${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`];
  }
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) {
    return [`${path}: expected ${expected.length} entries, got ${(actual as unknown[]).length}`];
  }
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(value, (actual as Record<string, unknown>)[name], `${path}/${name}`, scale),
  );
}

/**
 * A p-value far in the tail changes by this many times the relative change of its statistic, which is about the square of
 * the statistic.
 */
const sensitivity = (path: string, value: number): number =>
  /pValue$/i.test(path) && value > 0 ? Math.max(1, -2 * Math.log(value)) : 1;
