/** Whether a path, split at its slashes, matches a route such as `/v1/sessions/:sessionId`. */
export function matchesPattern(pattern: string, path: readonly string[]): boolean {
  const expected = pattern.split('/');
  return (
    expected.length === path.length &&
    expected.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  );
}
