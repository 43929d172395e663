/** State of MurmurHash3 x86 32-bit; shared, so that hashing allocates nothing. */
const running = { hash: 0, block: 0, filled: 0, bits: 0 };

function set(hash: number, block: number, filled: number, bits: number): void {
  running.hash = hash;
  running.block = block;
  running.filled = filled;
  running.bits = bits;
}

function scramble(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}

/** Feeds the UTF-8 bytes of `text`; `code` holds 1 to 4 of them at a time, the first one lowest. */
function absorb(text: string): void {
  let { hash, block, filled, bits } = running;
  const end = text.length;
  for (let i = 0; i < end; i++) {
    let code = text.charCodeAt(i);
    let size = 8;
    if (code < 0x80) {
      // Fast path: four ASCII characters are a whole block, and nearly all keys are ASCII.
      if (i + 3 < end) {
        const b = text.charCodeAt(i + 1);
        const c = text.charCodeAt(i + 2);
        const d = text.charCodeAt(i + 3);
        if ((b | c | d) < 0x80) {
          code |= (b << 8) | (c << 16) | (d << 24);
          size = 32;
          i += 3;
        }
      }
    } else if (code < 0x800) {
      code = 0x80c0 | (code >> 6) | ((code & 63) << 8);
      size = 16;
    } else {
      const low = code >> 10 === 0x36 ? text.charCodeAt(i + 1) : 0;
      if (low >> 10 === 0x37) {
        code = ((code & 0x3ff) << 10) + (low & 0x3ff) + 0x10000;
        code =
          0x808080f0 | (code >> 18) | ((code >> 4) & 0x3f00) | ((code & 0xfc0) << 10) | ((code & 63) << 24);
        size = 32;
        i++;
      } else {
        // A lone surrogate has no UTF-8 encoding: U+FFFD, as in TextEncoder.
        if (code >> 11 === 0x1b) code = 0xfffd;
        code = 0x8080e0 | (code >> 12) | ((code & 0xfc0) << 2) | ((code & 63) << 16);
        size = 24;
      }
    }
    block |= code << filled;
    filled += size;
    bits += size;
    if (filled > 31) {
      hash ^= scramble(block);
      hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
      filled -= 32;
      block = filled ? code >>> (size - filled) : 0;
    }
  }
  set(hash, block, filled, bits);
}

function finish(): number {
  let hash = running.hash ^ scramble(running.block) ^ (running.bits / 8);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * MurmurHash3 x86 32-bit of the UTF-8 bytes of `text`, as an unsigned integer.
 *
 * @example murmur3('hello') // 0x248bfa47
 */
export function murmur3(text: string, seed = 0): number {
  set(seed | 0, 0, 0, 0);
  absorb(text);
  return finish();
}

/** `murmur3(text)` as a fraction in [0, 1). */
export function hashFraction(text: string): number {
  return murmur3(text) / 0x100000000;
}

/**
 * `hashFraction(prefix + text)` for a fixed prefix, which is hashed once: three times as fast. The prefix must not end
 * in half of a surrogate pair.
 *
 * @example const draw = hashFractionAfter('my-flag:rule-1:'); draw('user-7')
 */
export function hashFractionAfter(prefix: string): (text: string) => number {
  set(0, 0, 0, 0);
  absorb(prefix);
  const { hash, block, filled, bits } = running;
  return (text) => {
    set(hash, block, filled, bits);
    absorb(text);
    return finish() / 0x100000000;
  };
}
