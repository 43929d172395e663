import { cleanParameters } from './clean-parameters.ts';

/** A name and a password before the host. */
const CREDENTIALS = /^([a-z][a-z\d+.-]*:)?\/\/[^/]*@/i;
/** As in `/cart;jsessionid=1A2B`. */
const PATH_PARAMETER = /;[^/;=]*=[^/;]*/g;

/**
 * The URL without credentials, without path parameters, and without parameters in query and fragment that may not be
 * recorded. A relative URL stays one.
 */
export function cleanUrl(
  url: string,
  allowed: readonly string[],
  onRemoved?: (name: string) => void,
): string {
  const clean = (text: string) => cleanParameters(text, allowed, onRemoved);
  const [page, fragment] = cutAt(url, '#');
  const [location, query] = cutAt(page, '?');
  return (
    cleanLocation(location) +
    prefixed('?', query && clean(query)) +
    prefixed('#', fragment && cleanFragment(fragment, clean))
  );
}

/** Searching for a character is a lot faster than trying a pattern, and most URLs have neither. */
function cleanLocation(location: string): string {
  const unsigned = location.includes('@') ? location.replace(CREDENTIALS, '$1//') : location;
  return unsigned.includes(';') ? unsigned.replace(PATH_PARAMETER, '') : unsigned;
}

function cutAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const prefixed = (prefix: string, text: string) => text && prefix + text;

/** Routers of single-page apps put a path with a query there, and sign-in services put tokens. */
function cleanFragment(fragment: string, clean: (query: string) => string): string {
  if (!fragment.includes('?')) return fragment.includes('=') ? clean(fragment) : fragment;
  const [path, query] = cutAt(fragment, '?');
  return path + prefixed('?', clean(query));
}
