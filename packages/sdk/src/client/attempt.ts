/** Returns the function's result, or `undefined` if it throws: an error of the SDK must not break the page. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
