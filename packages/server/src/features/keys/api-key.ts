import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from '../../storage/property-configuration.ts';

const KEY_PREFIXES: Readonly<Record<KeyKind, string>> = {
  public: 'service_pub_',
  secret: 'service_sec_',
};

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BODY = /^[A-Za-z0-9_-]{16,128}$/;
const GENERATED_BODY = /^[A-Za-z0-9]{38}$/;

/** A new key; its checksum lets secret scanners tell a leaked key from chance. */
export function generateApiKey(kind: KeyKind): string {
  const random = randomBase62(RANDOM_LENGTH);
  return KEY_PREFIXES[kind] + random + checksum(random);
}

/** Random text in which every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      // 248 = 4 * 62: the bytes above would favour the first characters.
      if (byte < 248) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** The kind and body of a text that could be a key; undefined when no key looks like that. */
export function parseApiKey(text: string): { kind: KeyKind; body: string } | undefined {
  for (const kind of ['public', 'secret'] as const) {
    if (!text.startsWith(KEY_PREFIXES[kind])) continue;
    const body = text.slice(KEY_PREFIXES[kind].length);
    return BODY.test(body) ? { kind, body } : undefined;
  }
  return undefined;
}

/** Whether the text is a key as `generateApiKey` makes them; keys from a provision file need not be. */
export function hasKeyChecksum(text: string): boolean {
  const body = parseApiKey(text)?.body;
  if (body === undefined || !GENERATED_BODY.test(body)) return false;
  return checksum(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

/** What may be shown of a key: enough to recognise it, too little to use it. */
export function recognisableParts(text: string): { prefix: string; lastFour: string } {
  return { prefix: text.slice(0, KEY_PREFIXES.public.length + 4), lastFour: text.slice(-4) };
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
