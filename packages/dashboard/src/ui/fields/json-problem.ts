/** What is wrong with a text that should be JSON, and where, in the words of the browser; undefined if nothing is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.includes('not valid JSON') ? message : `Not valid JSON: ${message}`;
  }
}
