import { quoteValue } from '@switchyard/core/words/quote-value';

const MAX_LENGTH = 100;
const MAX_LISTED = 5;

/** A value of a configuration for people; long ones are cut. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return quoteValue(value);
  if (typeof value === 'number') return String(Number(value.toPrecision(8)));
  if (Array.isArray(value)) return listWords(value);
  return cut(JSON.stringify(value));
}

export function listWords(values: readonly unknown[], words = valueWords): string {
  if (values.length === 0) return 'none';
  const more = values.length - MAX_LISTED;
  const shown = values.slice(0, MAX_LISTED).map(words).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

export const cut = (text: string, length = MAX_LENGTH): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** A name or key: always quoted, so that its end can be seen. */
export const quoted = (text: unknown): string => (isMissing(text) ? 'none' : `“${cut(String(text))}”`);

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

export const percentWords = (percentage: unknown): string =>
  isMissing(percentage) ? 'none' : `${percentage} %`;

/** A share between 0 and 1. */
export const shareWords = (share: unknown): string =>
  typeof share === 'number' ? percentWords(Math.round(share * 1e6) / 1e4) : valueWords(share);

/** Unix milliseconds, or a text as in a file. */
export function timeWords(at: unknown): string {
  const time = new Date(at as number);
  if (isMissing(at) || Number.isNaN(time.getTime())) return valueWords(at);
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `trafficAllocation` → `Traffic allocation` */
export function labelOf(name: string): string {
  return capital(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
