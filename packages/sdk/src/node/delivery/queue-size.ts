import type { Delivery } from './delivery.ts';

interface Size {
  events: number;
  bytes: number;
}

/** Max number and size of pending events. */
export const MAX_EVENTS = 10_000;
export const MAX_BYTES = 16 * 1024 * 1024;
/** Anybody can send events through the relay; they must leave room for those of the server itself. */
const RELAY_SHARE = 1 / 4;

/** The size of the queue, and what fits into it. */
export class QueueSize {
  #all: Size = { events: 0, bytes: 0 };
  #relayed: Size = { events: 0, bytes: 0 };

  get events(): number {
    return this.#all.events;
  }

  hasRoom(added: Size): boolean {
    return fits(this.#all, added, 1);
  }

  /** Whether it is within the share of the relay, or does not come from there. */
  hasRelayRoom(delivery: Delivery): boolean {
    return !delivery.isRelayed || fits(this.#relayed, delivery, RELAY_SHARE);
  }

  add(delivery: Delivery): void {
    this.#change(delivery, 1);
  }

  remove(delivery: Delivery): void {
    this.#change(delivery, -1);
  }

  clear(): void {
    this.#all = { events: 0, bytes: 0 };
    this.#relayed = { events: 0, bytes: 0 };
  }

  #change({ events, bytes, isRelayed }: Delivery, sign: 1 | -1): void {
    for (const size of isRelayed ? [this.#all, this.#relayed] : [this.#all]) {
      size.events += sign * events;
      size.bytes += sign * bytes;
    }
  }
}

const fits = (size: Size, added: Size, share: number): boolean =>
  size.events + added.events <= MAX_EVENTS * share && size.bytes + added.bytes <= MAX_BYTES * share;
