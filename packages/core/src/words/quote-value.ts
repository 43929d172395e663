const MAX_LENGTH = 60;

/** Quotes a text whose end could not be seen in a sentence, and cuts a long one. */
export function quoteValue(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return cut === '' || /[\s,"“”]/.test(cut) ? `“${cut}”` : cut;
}
