import { formatPointer, parsePointer } from '@switchyard/core/merge/json-pointer';

/** Stands for text that was redacted. */
const REDACTED = '[redacted]';

/** Also in regular expressions of rules, where dots are escaped. */
const EMAIL = /[\p{L}\p{N}._%+'\\-]+@(?:[\p{L}\p{N}-]+\\?\.)+\p{L}{2,}/giu;

/** Returns a text without what has to go. */
export type Redact = (text: string) => string;

/** Whatever the case, and also in regular expressions, where characters are escaped. */
export function redactText(text: string): Redact {
  const characters = [...text].map((character) =>
    /[\p{L}\p{N}]/u.test(character) ? character : `\\\\?\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  const pattern = new RegExp(characters.join(''), 'giu');
  return (value) => value.replace(pattern, REDACTED);
}

/** @param kept addresses in lower case that must stay, because the configuration has them */
export const redactEmails =
  (kept: ReadonlySet<string>): Redact =>
  (value) =>
    value.replace(EMAIL, (address) => (kept.has(plain(address)) ? address : REDACTED));

/** The addresses in a text, in lower case. */
export const emailsIn = (text: string): string[] => (text.match(EMAIL) ?? []).map(plain);

const plain = (address: string) => address.replaceAll('\\', '').toLowerCase();

/** All strings of a JSON value, and the names of members. */
export function redactJson(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactJson(member, redact)]),
  );
}

export const redactPointer = (pointer: string, redact: Redact): string =>
  formatPointer(parsePointer(pointer).map(redact));

/** The places of a JSON value in which text was redacted. */
export function redactedPlaces(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return value.includes(REDACTED) ? [formatPointer(path)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = redactedPlaces(member, [...path, name]);
    return name.includes(REDACTED) ? [formatPointer([...path, name]), ...inner] : inner;
  });
}
