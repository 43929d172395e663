/** Whether a path, split at its slashes, is one that a route like `/v1/sessions/:sessionId` answers. */
export function matchesPattern(pattern: string, path: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === path.length &&
    wanted.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  );
}
