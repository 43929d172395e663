import {
  MAX_TRAFFIC_VALUE_LENGTH,
  NO_TRAFFIC_VALUE,
  type TrafficDimension,
} from '@switchyard/core/api/traffic';

const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const ORIGIN = `^(?:(?:${SCHEME}:)?//[^/?#]*)?/?`;

const short = (value: string) => `leftUTF8(${value}, ${MAX_TRAFFIC_VALUE_LENGTH})`;

/** SQL for the path of a URL, which may be relative: starts with a slash; empty for an empty URL. */
export const pageOf = (url: string) =>
  `if(${url} = '', '', ${short(`concat('/', extract(${url}, '${ORIGIN}([^?#]*)'))`)})`;

/** Host and port; empty if the text is not an absolute URL. */
const hostOf = (url: string) => `lowerUTF8(extract(${url}, '^${SCHEME}://([^/?#]*)'))`;

/** Decoded, unless the result is not valid UTF-8. */
function utm(name: string): string {
  const encoded = `replaceAll(extract(entry_url, '^[^#]*?[?&]utm_${name}=([^&#]*)'), '+', ' ')`;
  const decoded = `decodeURLComponent(${encoded})`;
  return short(`if(isValidUTF8(${decoded}), ${decoded}, ${encoded})`);
}

const client = (column: string) => `if(${column} = 'unknown', '', ${column})`;

/**
 * SQL for the value of a session, on the columns of `traffic-sessions.ts`; see `isNone`. May depend on the list of the
 * property's own hosts.
 */
export const TRAFFIC_VALUES: Readonly<
  Record<Exclude<TrafficDimension, 'page'>, string | ((ownHosts: string) => string)>
> = {
  entryPage: pageOf('entry_url'),
  exitPage: pageOf('exit_url'),
  // As in `externalReferrer`.
  referrer: (ownHosts) =>
    `if(${hostOf('entry_referrer')} = ${hostOf('entry_url')} OR ${hostOf('entry_referrer')} IN ${ownHosts}, '',
       ${short(hostOf('entry_referrer'))})`,
  utmSource: utm('source'),
  utmMedium: utm('medium'),
  utmCampaign: utm('campaign'),
  utmContent: utm('content'),
  utmTerm: utm('term'),
  country: client('country'),
  device: client('device'),
  browser: client('browser'),
  os: client('os'),
};

/** Condition: there is no value. */
export const isNone = (value: string) => `${value} IN ('', '${NO_TRAFFIC_VALUE}')`;

export const nullIfNone = (value: string) => `if(${isNone(value)}, NULL, ${value})`;
