/** Bits per mark; with 4 of them set for each, 6 of 100 other keys seem to be there. */
const BITS_PER_MARK = 6;
/** A block is one cache line, so that a lookup reads memory once. */
const BLOCK_WORDS = 16;
const BLOCK_BITS = BLOCK_WORDS * 32;

/** A blocked Bloom filter: says that a key is not in a run, or that it may be. */
export class MarkFilter {
  readonly #words: Uint32Array;
  readonly #blocks: number;

  /** An empty filter for a number of marks, or one with the bytes of another. */
  constructor(content: number | Uint8Array) {
    if (typeof content === 'number') {
      this.#blocks = Math.max(1, Math.ceil((content * BITS_PER_MARK) / BLOCK_BITS));
      this.#words = new Uint32Array(this.#blocks * BLOCK_WORDS);
      return;
    }
    // Copied, because the bytes may not be aligned.
    this.#words = new Uint32Array(content.slice().buffer);
    this.#blocks = this.#words.length / BLOCK_WORDS;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer);
  }

  add(mark: Buffer, at: number): void {
    const block = this.#blockOf(mark, at);
    const bits = mark.readUInt32BE(at);
    this.#set(block, bits & 511);
    this.#set(block, (bits >>> 9) & 511);
    this.#set(block, (bits >>> 18) & 511);
    this.#set(block, mark.readUInt16BE(at + 8) & 511);
  }

  mayHave(mark: Buffer, at: number): boolean {
    const block = this.#blockOf(mark, at);
    const bits = mark.readUInt32BE(at);
    return (
      this.#has(block, bits & 511) &&
      this.#has(block, (bits >>> 9) & 511) &&
      this.#has(block, (bits >>> 18) & 511) &&
      this.#has(block, mark.readUInt16BE(at + 8) & 511)
    );
  }

  #blockOf(mark: Buffer, at: number): number {
    return Math.floor((mark.readUInt32BE(at + 4) / 2 ** 32) * this.#blocks) * BLOCK_WORDS;
  }

  #set(block: number, bit: number): void {
    this.#words[block + (bit >>> 5)]! |= 1 << (bit & 31);
  }

  #has(block: number, bit: number): boolean {
    return (this.#words[block + (bit >>> 5)]! & (1 << (bit & 31))) !== 0;
  }
}
