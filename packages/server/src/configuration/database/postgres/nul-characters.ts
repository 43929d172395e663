// PostgreSQL text cannot contain U+0000, but ids of visitors and answers of webhooks may. So it is stored as a private
// character and a digit, and that character itself likewise.

const ESCAPE = '\uF8FF';

export function withoutNul(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

export function withNul(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}
