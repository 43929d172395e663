/** What the function returns, or `undefined` when it throws: our troubles must not become the page's. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
