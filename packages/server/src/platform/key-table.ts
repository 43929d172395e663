const MIN_SLOTS = 1024;
const MAX_LOAD_FACTOR = 0.7;

/** Value types by content: none (a plain set), numbers, or other 64-bit keys. */
interface Values {
  keys: undefined;
  numbers: number;
  bigints: bigint;
}

type ValueArray = { [index: number]: number | bigint } | undefined;

/**
 * A hash map or set of 64-bit keys: open addressing in typed arrays, 8 bytes per slot (16 with values). A Map of
 * bigints takes six times the memory and slows down garbage collection.
 */
export class KeyTable<Content extends keyof Values = 'numbers'> {
  readonly #content: Content;
  #keys: Int32Array;
  #values: ValueArray;
  #mask: number;
  #size = 0;

  constructor(content: Content, expected = 0) {
    const slots = Math.max(MIN_SLOTS, 2 ** Math.ceil(Math.log2((expected + 1) / MAX_LOAD_FACTOR)));
    this.#content = content;
    this.#keys = new Int32Array(slots * 2);
    this.#values = valueArray(content, slots);
    this.#mask = slots - 1;
  }

  get size(): number {
    return this.#size;
  }

  has(low: number, high: number): boolean {
    return this.#isUsed(this.#slotOf(low, high));
  }

  get(low: number, high: number): Values[Content] | undefined {
    const slot = this.#slotOf(low, high);
    return this.#isUsed(slot) ? (this.#values?.[slot] as Values[Content]) : undefined;
  }

  set(low: number, high: number, value?: Values[Content]): void {
    let slot = this.#slotOf(low, high);
    if (!this.#isUsed(slot)) {
      if (this.#size >= (this.#mask + 1) * MAX_LOAD_FACTOR) {
        this.#grow();
        slot = this.#slotOf(low, high);
      }
      this.#keys[slot * 2] = low;
      this.#keys[slot * 2 + 1] = high;
      this.#size++;
    }
    if (this.#values && value !== undefined) this.#values[slot] = value;
  }

  /** 0 marks an empty slot and is never a key. */
  #isUsed(slot: number): boolean {
    return (this.#keys[slot * 2] as number) !== 0 || (this.#keys[slot * 2 + 1] as number) !== 0;
  }

  #slotOf(low: number, high: number): number {
    const keys = this.#keys;
    let slot = low & this.#mask;
    while (this.#isUsed(slot) && (keys[slot * 2] !== low || keys[slot * 2 + 1] !== high)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const slots = (this.#mask + 1) * 2;
    this.#keys = new Int32Array(slots * 2);
    this.#values = valueArray(this.#content, slots);
    this.#mask = slots - 1;
    this.#size = 0;
    for (let at = 0; at < keys.length; at += 2) {
      const low = keys[at] as number;
      const high = keys[at + 1] as number;
      if (low !== 0 || high !== 0) this.set(low, high, values?.[at / 2] as Values[Content]);
    }
  }
}

function valueArray(content: keyof Values, slots: number): ValueArray {
  if (content === 'keys') return undefined;
  return content === 'numbers' ? new Float64Array(slots) : new BigInt64Array(slots);
}
