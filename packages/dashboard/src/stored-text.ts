/** What this browser remembers; undefined also if it does not allow that. */
export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Does nothing in a browser that does not allow it. */
export function writeStored(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without storage, nothing is remembered.
  }
}
