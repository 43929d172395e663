const SMALLEST = 1024;
const FULLEST = 0.7;

/**
 * From 64-bit hash keys to numbers, or a plain set of such keys: open addressing in typed arrays, 8 bytes a slot
 * (16 with numbers). A Map of bigints takes six times that, and the garbage collector's time besides.
 */
export class KeyTable {
  #keys: Int32Array;
  #values: Float64Array | undefined;
  #mask: number;
  #size = 0;

  constructor(content: 'keys' | 'numbers', expected = 0) {
    const slots = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2((expected + 1) / FULLEST)));
    this.#keys = new Int32Array(slots * 2);
    this.#values = content === 'numbers' ? new Float64Array(slots) : undefined;
    this.#mask = slots - 1;
  }

  get size(): number {
    return this.#size;
  }

  has(low: number, high: number): boolean {
    return this.#holds(this.#slotOf(low, high));
  }

  get(low: number, high: number): number | undefined {
    const slot = this.#slotOf(low, high);
    return this.#holds(slot) ? this.#values?.[slot] : undefined;
  }

  set(low: number, high: number, value = 0): void {
    let slot = this.#slotOf(low, high);
    if (!this.#holds(slot)) {
      if (this.#size >= (this.#mask + 1) * FULLEST) {
        this.#grow();
        slot = this.#slotOf(low, high);
      }
      this.#keys[slot * 2] = low;
      this.#keys[slot * 2 + 1] = high;
      this.#size++;
    }
    if (this.#values) this.#values[slot] = value;
  }

  /** A key is never 0, which marks a free slot. */
  #holds(slot: number): boolean {
    return (this.#keys[slot * 2] as number) !== 0 || (this.#keys[slot * 2 + 1] as number) !== 0;
  }

  #slotOf(low: number, high: number): number {
    const keys = this.#keys;
    let slot = low & this.#mask;
    while (this.#holds(slot) && (keys[slot * 2] !== low || keys[slot * 2 + 1] !== high)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const slots = (this.#mask + 1) * 2;
    this.#keys = new Int32Array(slots * 2);
    this.#values = values ? new Float64Array(slots) : undefined;
    this.#mask = slots - 1;
    this.#size = 0;
    for (let at = 0; at < keys.length; at += 2) {
      const low = keys[at] as number;
      const high = keys[at + 1] as number;
      if (low !== 0 || high !== 0) this.set(low, high, values?.[at / 2]);
    }
  }
}
