/**
 * Node.js keeps the first of several `Host` headers, and a proxy may have used another one.
 * @param rawHeaders names and values in turn
 */
export function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}
