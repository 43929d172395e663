// Every pattern here takes linear time: pages send texts of thousands of characters.

/** Texts without any of these have nothing to mask. */
const SUSPICIOUS = /@|%(?:25)*40|eyJ|(?:^|[^\w-])[\w-]{24}|\d(?:(?:[ +-]|%20)?\d){13}/;
/** What stands between the separators of URLs and sentences; each is looked at once. */
const RUN = /[^\s/?&=#:;,()<>"'|[\]{}]+/g;
/** Shorter runs are neither an address nor a token. */
const MIN_RUN = 5;
const EMAIL = /[^@](?:@|%(?:25)*40)[^@%]*\.[a-z]{2}/i;
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MIN_TOKEN = 24;
const HEX = /^[\da-f]{32,}$/i;
/** Where letters and digits, or small and capital letters, alternate; words seldom do. */
const SWITCH = /[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g;
const MIN_SWITCHES = 0.25;
/** Numbers of 14 to 19 digits, perhaps in groups. */
const DIGITS = /\d(?:(?:[ +-]|%20)?\d){13,}/g;
/** 19 digits with `%20` between all of them. */
const MAX_CARD_LENGTH = 73;
/** Lengths and first digits of cards; times, also when written as digits of a date, look different. */
const CARD = /^(?:3\d{13,14}|[2-6]\d{15,18})$/;

const MASK = /\[(?:email|token|card)\]/;

/** Whether something was masked in a value, so that what it was is not known. */
export const isMasked = (value: unknown): boolean => typeof value === 'string' && MASK.test(value);

/** Replaces what looks like an email address, a token or a card number by `[email]`, `[token]` or `[card]`. */
export function maskText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text.replace(RUN, maskRun).replace(DIGITS, (digits) => (isCard(digits) ? '[card]' : digits));
}

function maskRun(run: string): string {
  if (run.length < MIN_RUN) return run;
  if (EMAIL.test(run)) return '[email]';
  if (run.length < MIN_TOKEN) return run;
  if (JWT.test(run)) return '[token]';
  return run
    .split(/([^\w-]+)/)
    .map((part) => (isToken(part) ? '[token]' : part))
    .join('');
}

/** UUIDs are ids, which reports of pages need. */
function isToken(part: string): boolean {
  if (part.length < MIN_TOKEN || UUID.test(part)) return false;
  return HEX.test(part) || (part.match(SWITCH)?.length ?? 0) >= part.length * MIN_SWITCHES;
}

/** The last digit of a card number is a checksum (Luhn). */
export function isCard(text: string): boolean {
  if (text.length > MAX_CARD_LENGTH) return false;
  const digits = text.replace(/%20|\D/g, '');
  if (!CARD.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
