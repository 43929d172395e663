import { murmur3 } from '@switchyard/core/evaluation/hash';

/** The 64-bit key that stands for a session in every table; the halves are signed 32-bit integers. */
export interface SessionKey {
  low: number;
  high: number;
  value: bigint;
}

export function sessionKeyOf(value: bigint): SessionKey {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(value >> 32n), value };
}

interface Seeds {
  low: number;
  high: number;
}

const SESSION = 0;
const VISITOR = 0x5bd1e995;
const USER = 0x2c1b3c6d;

/**
 * Makes 64-bit keys of session, visitor and user ids: two 32-bit hashes, seeded with the property and with a
 * random salt of the store, so that nobody can craft an id that collides with one of another property.
 */
export class KeyHasher {
  readonly #salt: Seeds;
  readonly #seeds = new Map<string, Seeds>();
  readonly #halves = new Int32Array(2);
  readonly #whole = new BigInt64Array(this.#halves.buffer);

  constructor(salt: bigint) {
    this.#salt = { low: Number(BigInt.asIntN(32, salt)), high: Number(BigInt.asIntN(32, salt >> 32n)) };
  }

  sessionKey(propertyId: string, sessionId: string): SessionKey {
    const value = this.#key(propertyId, sessionId, SESSION);
    return { low: this.#halves[0] as number, high: this.#halves[1] as number, value };
  }

  visitorKey(propertyId: string, visitorId: string): bigint {
    return this.#key(propertyId, visitorId, VISITOR);
  }

  userKey(propertyId: string, userId: string): bigint {
    return this.#key(propertyId, userId, USER);
  }

  #key(propertyId: string, id: string, kind: number): bigint {
    const seeds = this.#seedsOf(propertyId);
    const low = murmur3(id, seeds.low ^ kind);
    this.#halves[1] = murmur3(id, seeds.high ^ kind);
    // 0 marks a free slot in a KeyTable.
    this.#halves[0] = low === 0 && this.#halves[1] === 0 ? 1 : low;
    return this.#whole[0] as bigint;
  }

  #seedsOf(propertyId: string): Seeds {
    let seeds = this.#seeds.get(propertyId);
    if (!seeds) {
      seeds = { low: murmur3(propertyId, this.#salt.low), high: murmur3(propertyId, this.#salt.high) };
      this.#seeds.set(propertyId, seeds);
    }
    return seeds;
  }
}
