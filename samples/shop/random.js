/** Random numbers that are the same for the same seed and stream (Mulberry32). */
export class Random {
  #state;

  /** @param {number} stream such as the number of a visitor, so that the visitors do not depend on each other */
  constructor(seed, stream = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  }

  /** At least 0, less than 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  chance(probability) {
    return this.next() < probability;
  }

  between(low, high) {
    return low + this.next() * (high - low);
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** One of the items, by their `weight`. */
  weighted(items) {
    let point = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      point -= item.weight;
      if (point < 0) return item;
    }
    return items.at(-1);
  }

  /** One of the keys of an object whose values are weights. */
  key(weights) {
    return this.weighted(Object.entries(weights).map(([key, weight]) => ({ key, weight }))).key;
  }

  exponential(mean) {
    return -mean * Math.log(1 - this.next());
  }

  hex(digits) {
    let text = '';
    while (text.length < digits) {
      text += Math.floor(this.next() * 0x100000000)
        .toString(16)
        .padStart(8, '0');
    }
    return text.slice(0, digits);
  }
}
