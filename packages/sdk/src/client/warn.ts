/** Logs something that the developers of the page should know, in production too. */
export function warn(...data: unknown[]): void {
  console.warn('[switchyard]', ...data);
}
