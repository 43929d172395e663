import {
  MAX_TRAFFIC_VALUE_LENGTH,
  NO_TRAFFIC_VALUE,
  type TrafficDimension,
} from '@switchyard/core/api/traffic';

/** Where the value of a session comes from: its first or last page view, its latest collect, or all its page views. */
export type TrafficSource = 'entries' | 'exits' | 'clients' | 'views';

interface SqlDimension {
  source: TrafficSource;
  /** Columns from which the value is computed; separate, so that none is computed twice. */
  columns?: Record<string, string>;
  /** SQL on the columns of the source; see `isNone`. May depend on the list of the property's own hosts. */
  value: string | ((ownHosts: string) => string);
}

const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const ORIGIN = `^(?:(?:${SCHEME}:)?//[^/?#]*)?/?`;

const NONE = `('', '${NO_TRAFFIC_VALUE}')`;

/** Condition: there is no value. Values are not made null, because the engine would compute them once more for it. */
export const isNone = (value: string) => `coalesce(${value}, '') IN ${NONE}`;

export const nullIfNone = (value: string) => `CASE WHEN ${value} IN ${NONE} THEN NULL ELSE ${value} END`;

/** Path of a URL, which may be relative; always starts with a slash. */
export function pageOf(url: string): string {
  return `left('/' || regexp_extract(nullif(${url}, ''), '${ORIGIN}([^?#]*)', 1), ${MAX_TRAFFIC_VALUE_LENGTH})`;
}

/**
 * Condition: the URL is one of the page, whose name is also bound as `placeholder`. The expression excludes nearly all
 * other URLs, and many times as fast as extracting their pages.
 */
export function isPage(url: string, page: string, placeholder: string): string {
  const [, ...path] = asStored(page);
  const end = path.length + 1 < MAX_TRAFFIC_VALUE_LENGTH ? '(?:[?#]|$)' : '';
  const expression = `${ORIGIN}${path.map(quoteCharacter).join('')}${end}`;
  // Not AND, whose conditions the engine reorders.
  return `CASE WHEN regexp_matches(${url}, '${expression}') THEN ${pageOf(url)} = ${placeholder} ELSE false END`;
}

/** After a round trip through UTF-8, which turns lone surrogates into U+FFFD. */
const asStored = (text: string) => Buffer.from(text).toString();

const quoteCharacter = (character: string) =>
  /[A-Za-z0-9]/.test(character) ? character : `\\x{${character.codePointAt(0)!.toString(16)}}`;

/** Host and port; empty if the text is not an absolute URL. */
const hostOf = (url: string) => `lower(regexp_extract(${url}, '^${SCHEME}://([^/?#]*)', 1))`;

const short = (value: string) => `left(${value}, ${MAX_TRAFFIC_VALUE_LENGTH})`;

function utm(name: string): SqlDimension {
  const column = `utm_${name}`;
  const encoded = `replace(regexp_extract(url, '^[^#]*?[?&]${column}=([^&#]*)', 1), '+', ' ')`;
  return {
    source: 'entries',
    columns: { [column]: `CASE WHEN contains(url, '${column}=') THEN ${encoded} ELSE '' END` },
    // Decoding fails if the result is not valid UTF-8.
    value: short(`coalesce(TRY(url_decode(${column})), ${column})`),
  };
}

export const TRAFFIC_VALUES: Readonly<Record<TrafficDimension, SqlDimension>> = {
  page: { source: 'views', value: pageOf('url') },
  entryPage: { source: 'entries', value: pageOf('url') },
  exitPage: { source: 'exits', value: pageOf('url') },
  referrer: {
    source: 'entries',
    columns: { host: hostOf('url'), referring_host: hostOf('referrer') },
    // As in `externalReferrer`.
    value: (ownHosts) =>
      short(`CASE WHEN referring_host IN (host, ${ownHosts}) THEN '' ELSE referring_host END`),
  },
  utmSource: utm('source'),
  utmMedium: utm('medium'),
  utmCampaign: utm('campaign'),
  utmContent: utm('content'),
  utmTerm: utm('term'),
  country: { source: 'clients', value: 'country' },
  device: { source: 'clients', value: 'device' },
  browser: { source: 'clients', value: 'browser' },
  os: { source: 'clients', value: 'os' },
};
