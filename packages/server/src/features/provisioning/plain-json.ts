/** Fewer than YAML may have: files need about a dozen levels. */
const MAX_NESTING = 50;

/**
 * The value of a text that is a JSON object; undefined if it is not, or if it is one that a reader of YAML would object
 * to: a key that occurs twice, or escapes that may be half a character. The parser of YAML takes a hundred times as long.
 */
export function plainJson(text: string): object | undefined {
  if (!/^\s*\{/.test(text) || !text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)) return undefined;
  let value: object;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  const members = outsideStrings.split(':').length - 1;
  return members === countMembers(value, 0) ? value : undefined;
}

/** NaN if it is nested too deeply. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_NESTING) return Number.NaN;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) count += countMembers(member, depth + 1);
  return count;
}
