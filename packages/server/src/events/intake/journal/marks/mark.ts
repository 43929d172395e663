import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '@switchyard/core/time';

export interface IdempotencyMark {
  /** Property, kind of the API key and idempotency key in one string. */
  key: string;
  /** SHA-256 of the request in base64url, to detect a key that is reused for another request. */
  fingerprint: string;
}

/**
 * A stored mark: the hash of the key, by which marks are sorted, a part of the fingerprint, and the minute of its first
 * use. With 80 bits, a new key has the same hash as one of 400 million others once in 10^15 times.
 */
export const MARK_BYTES = 16;
const KEY_BYTES = 10;
const FINGERPRINT_BYTES = 4;
const MINUTE_AT = KEY_BYTES + FINGERPRINT_BYTES;

/** How long idempotency keys are honored, and one minute more because times are rounded. */
const KEPT_MINUTES = DAY_MS / MINUTE_MS + 1;
export const KEPT_MS = KEPT_MINUTES * MINUTE_MS;

/** @param salt without it, someone could send keys whose hashes are next to each other */
export function encodeMark(salt: Uint8Array, { key, fingerprint }: IdempotencyMark, now: number): Buffer {
  const mark = createHash('sha256').update(salt).update(key).digest().subarray(0, MARK_BYTES);
  Buffer.from(fingerprint, 'base64url').copy(mark, KEY_BYTES, 0, FINGERPRINT_BYTES);
  mark.writeUInt16BE(minuteOf(now), MINUTE_AT);
  return mark;
}

/** Whether the marks at both offsets, which have the same key, are of the same request. */
export function isSameRequest(a: Buffer, atA: number, b: Buffer, atB: number): boolean {
  return a.readUInt32BE(atA + KEY_BYTES) === b.readUInt32BE(atB + KEY_BYTES);
}

/** Negative, zero or positive, by key. */
export function compareKeys(a: Buffer, atA: number, b: Buffer, atB: number): number {
  // Two marks rarely agree in the first bytes, and calling `Buffer.compare` takes longer.
  const difference = a.readUInt32BE(atA) - b.readUInt32BE(atB);
  return difference === 0 ? a.compare(b, atB, atB + KEY_BYTES, atA, atA + KEY_BYTES) : difference;
}

export function isExpired(marks: Buffer, at: number, now: number): boolean {
  // Minutes are stored modulo 2^16, so that this is their distance, also if the clock was set back.
  const age = ((minuteOf(now) - marks.readUInt16BE(at + MINUTE_AT)) << 16) >> 16;
  return age >= KEPT_MINUTES;
}

const minuteOf = (time: number) => Math.floor(time / MINUTE_MS) % 2 ** 16;
