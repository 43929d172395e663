const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const ORIGIN = `(?:(?:${SCHEME}:)?//[^/?#]*)?/?`;
const ANY = '[^?#]*';

/**
 * A regular expression of RE2 for the URLs, which may be relative, whose path a pattern matches: `*` stands for any
 * characters, everything else for itself. The path starts with a slash, as pages of traffic do; it is compared as it was
 * sent, so encoded characters stay encoded. An empty URL has no path, and must be excluded.
 *
 * @example pageExpression('/checkout*')
 */
export function pageExpression(pattern: string): string {
  const ways = afterSlash(pattern).map((rest) => rest.split('*').map(quoted).join(ANY));
  // Nothing comes before the beginning.
  if (ways.length === 0) return '.\\A';
  return `(?s)\\A${ORIGIN}(?:${ways.join('|')})(?:[?#]|\\z)`;
}

/**
 * A regular expression of RE2 whose first group is the first of these values that a query parameter of a URL has, as
 * they were sent.
 *
 * @example parameterExpression('sy_hero', ['control', 'b'])
 */
export const parameterExpression = (name: string, values: readonly string[]) =>
  `(?s)\\A[^?#]*[?](?:[^#]*?&)??${quoted(name)}=(${values.map(quoted).join('|')})(?:[&#]|\\z)`;

/** What may follow the slash of a path: a leading `*` stands for it, or for nothing. */
function afterSlash(pattern: string): string[] {
  const rest = pattern.replace(/^\*+/, '');
  return [...(rest === pattern ? [] : [`*${rest}`]), ...(rest.startsWith('/') ? [rest.slice(1)] : [])];
}

const quoted = (text: string) => text.replace(/[^A-Za-z0-9\u0080-\u{10ffff}]/gu, quotedCharacter);

const quotedCharacter = (character: string) => `\\x{${character.codePointAt(0)!.toString(16)}}`;
