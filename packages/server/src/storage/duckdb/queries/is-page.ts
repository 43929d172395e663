import { MAX_PAGE_LENGTH } from '@switchyard/core/api/sessions';

const ORIGIN = '^(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*)?/?';

/**
 * Condition: the URL, which may be relative, is one of the page, that is of its path; null: there is no URL. Matching
 * is many times as fast as extracting paths to compare them.
 */
export function isPage(url: string, page: string | null): string {
  if (page === null) return `coalesce(${url}, '') = ''`;
  if (!page.startsWith('/')) return 'false';
  const characters = [...page];
  const path = characters.slice(1).map(quoteCharacter).join('');
  const end = characters.length < MAX_PAGE_LENGTH ? '(?:[?#]|$)' : '';
  return `(${url} <> '' AND regexp_matches(${url}, '${ORIGIN}${path}${end}'))`;
}

const quoteCharacter = (character: string) =>
  /[A-Za-z0-9]/.test(character) ? character : `\\x{${character.codePointAt(0)!.toString(16)}}`;
