/** A time as people write it in a file. */
export function momentText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
