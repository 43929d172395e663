import { SipHash } from './sip-hash.ts';

/** The 64-bit hash of a session id; the halves are signed 32-bit integers. */
export interface SessionHash {
  low: number;
  high: number;
  value: bigint;
}

/** One hash per kind of id, so that a visitor and a session with the same id have different keys. */
interface PropertyHashes {
  session: SipHash;
  visitor: SipHash;
  user: SipHash;
}

/**
 * Hashes session, visitor and user ids to 64-bit keys. Ids are untrusted input: the hash is keyed with a secret of the
 * store, so that clients cannot craft ids with the same key.
 */
export class KeyHasher {
  readonly #root: SipHash;
  readonly #hashes = new Map<string, PropertyHashes>();
  readonly #halves = new Int32Array(2);
  readonly #whole = new BigInt64Array(this.#halves.buffer);

  /** The key is 16 bytes in hexadecimal. */
  constructor(hashKey: string) {
    this.#root = new SipHash(Buffer.from(hashKey, 'hex'));
  }

  sessionHash(propertyId: string, sessionId: string): SessionHash {
    const value = this.#key(this.#hashesOf(propertyId).session, sessionId);
    return { low: this.#halves[0] as number, high: this.#halves[1] as number, value };
  }

  visitorKey(propertyId: string, visitorId: string): bigint {
    return this.#key(this.#hashesOf(propertyId).visitor, visitorId);
  }

  userKey(propertyId: string, userId: string): bigint {
    return this.#key(this.#hashesOf(propertyId).user, userId);
  }

  #key(hash: SipHash, id: string): bigint {
    hash.hash(id);
    this.#halves[1] = hash.high;
    // 0 marks an empty slot in a KeyTable.
    this.#halves[0] = hash.low === 0 && hash.high === 0 ? 1 : hash.low;
    return this.#whole[0] as bigint;
  }

  #hashesOf(propertyId: string): PropertyHashes {
    let hashes = this.#hashes.get(propertyId);
    if (!hashes) {
      hashes = {
        session: this.#derive('session', propertyId),
        visitor: this.#derive('visitor', propertyId),
        user: this.#derive('user', propertyId),
      };
      this.#hashes.set(propertyId, hashes);
    }
    return hashes;
  }

  /** A separate hash key per kind and property is cheaper than hashing both with every id. */
  #derive(kind: keyof PropertyHashes, propertyId: string): SipHash {
    const key = new Int32Array(4);
    for (const half of [0, 1]) {
      this.#root.hash(`${kind}:${half}:${propertyId}`);
      key.set([this.#root.low, this.#root.high], half * 2);
    }
    return new SipHash(new Uint8Array(key.buffer));
  }
}
