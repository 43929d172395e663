import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** All prefixes, like `service_pub_`, are this long. */
const PREFIX_LENGTH = 12;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const GENERATED_BODY = /^[A-Za-z0-9]{38}$/;

/** Generates the text of a key or token; its checksum lets secret scanners tell a leaked one from random text. */
export function generateCredential(prefix: string): string {
  const random = randomBase62(RANDOM_LENGTH);
  return prefix + random + checksum(random);
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

/** Whether the part after the prefix has the format of `generateCredential`. */
export function hasChecksum(body: string): boolean {
  return GENERATED_BODY.test(body) && checksum(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH);
}

/** The parts of a key or token that may be shown: enough to recognise it, too little to use it. */
export function credentialPreview(text: string): { prefix: string; lastFour: string } {
  return { prefix: text.slice(0, PREFIX_LENGTH + 4), lastFour: text.slice(-4) };
}

/** SHA-256 in hex: enough for random text of more than 128 bits, unlike for passwords. */
export function hashCredential(text: string): string {
  return createHash('sha256').update(text).digest('hex');
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
