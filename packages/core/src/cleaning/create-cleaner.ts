import type { PrivacySettings } from '../api/privacy.ts';
import { cleanUrl } from './clean-url.ts';
import { isCard, maskText } from './mask-text.ts';

/** Removes from what pages send whatever a property does not record. */
export interface Cleaner {
  url(url: string): string;
  /** With a preset, only its origin stays. */
  referrer(url: string): string;
  text(text: string): string;
  /** The object as JSON text; all strings in it are cleaned, but no names of members. */
  json(object: object): string;
  /** Whether user ids may be stored. */
  readonly keepsUsers: boolean;
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
/** Scheme and host, which are not masked: a long host name may look like a token. */
const ORIGIN = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;

/** @param onRemoved is called with the name of each removed parameter */
export function createCleaner(
  { allowedParameters, maskValues, preset }: PrivacySettings,
  onRemoved?: (name: string) => void,
): Cleaner {
  const text = maskValues ? maskText : (value: string) => value;
  const url = (value: string) => {
    const cleaned = cleanUrl(value, allowedParameters, onRemoved);
    if (!maskValues) return cleaned;
    const origin = ORIGIN.exec(cleaned)?.[0] ?? '';
    return origin + maskText(cleaned.slice(origin.length));
  };
  const originOf = (value: string) => {
    const origin = ORIGIN.exec(url(value))?.[0];
    return origin === undefined ? '' : `${origin}/`;
  };
  const member = (_name: string, value: unknown) => {
    if (typeof value === 'string') return SCHEME.test(value) ? url(value) : text(value);
    return maskValues && typeof value === 'number' && value > 1e13 && isCard(`${value}`) ? '[card]' : value;
  };
  return {
    url,
    referrer: preset === null ? url : originOf,
    text,
    json(object) {
      const whole = JSON.stringify(object);
      // Members are looked at only where there is something to clean, because that takes several times as long.
      return whole.includes('://') || text(whole) !== whole ? JSON.stringify(object, member) : whole;
    },
    keepsUsers: preset === null,
  };
}
