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

/** Generates a key; its checksum lets secret scanners tell a leaked key from random text. */
export function generateApiKey(kind: KeyKind): string {
  const random = randomBase62(RANDOM_LENGTH);
  return KEY_PREFIXES[kind] + random + checksum(random);
}

/** Random text in which every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      // 248 = 4 * 62: larger bytes would favour the first characters.
      if (byte < 248) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** The kind and body of a well-formed key; undefined for anything else. */
export function parseApiKey(text: string): { kind: KeyKind; body: string } | undefined {
  for (const kind of ['public', 'secret'] as const) {
    if (!text.startsWith(KEY_PREFIXES[kind])) continue;
    const body = text.slice(KEY_PREFIXES[kind].length);
    return BODY.test(body) ? { kind, body } : undefined;
  }
  return undefined;
}

/** Whether the key has the format of `generateApiKey`; keys from a provision file may differ. */
export function hasKeyChecksum(text: string): boolean {
  const body = parseApiKey(text)?.body;
  if (body === undefined || !GENERATED_BODY.test(body)) return false;
  return checksum(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

/** The parts of a key that may be shown: enough to recognise it, too little to use it. */
export function keyPreview(text: string): { prefix: string; lastFour: string } {
  return { prefix: text.slice(0, KEY_PREFIXES.public.length + 4), lastFour: text.slice(-4) };
}

function checksum(body: string): string {
  let remainder = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[remainder % 62] + text;
    remainder = Math.floor(remainder / 62);
  }
  return text;
}
