import { DAY_MS } from '@switchyard/core/time';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';

const INTERVAL_MS = 10 * 60 * 1000;

type Store = Pick<EventStoreClient, 'expire' | 'removeRemains' | 'setRetention'>;

interface Moment {
  /** Monotonic, so that deletion continues when the wall clock is set back. */
  monotonic: number;
  /** Of the wall clock, which goes on while a machine sleeps. */
  wall: number;
}

/** Data about events outside the event store. */
interface Elsewhere {
  /** Deletes what is stored about deleted events. */
  onExpired: (propertyId: string) => Promise<void>;
  /** Removes what such deletions have left in files. */
  removeRemains: () => Promise<void>;
}

/**
 * Deletes expired events (`expire-events.ts` of each store): every ten minutes, and immediately when the retention of
 * a property changes. What they leave in files is removed within a day. Also tells the event store, which may delete
 * them by itself.
 */
export class Retention {
  readonly #eventStore: Store;
  readonly #enforced = new Map<string, { days: number; at: Moment }>();
  #removed: Moment | undefined;

  /** The settings that the event store has, as text. */
  #told: string | undefined;

  readonly #elsewhere: Elsewhere;

  constructor(eventStore: Store, elsewhere: Elsewhere) {
    this.#eventStore = eventStore;
    this.#elsewhere = elsewhere;
  }

  async enforce(properties: readonly PropertyConfiguration[], now: number): Promise<void> {
    // One after the other, because both change the same tables; a failure of the first does not prevent the second.
    const [told] = await Promise.allSettled([this.#tell(properties)]);
    await this.#expire(properties, now);
    await this.#removeRemains(now);
    if (told.status === 'rejected') throw told.reason;
  }

  async #tell(properties: readonly PropertyConfiguration[]): Promise<void> {
    const days = properties.map(({ id, retentionDays }) => [id, retentionDays ?? 0] as const);
    const text = JSON.stringify(days);
    if (text === this.#told) return;
    // Unknown until it succeeds: a failed call may have changed something.
    this.#told = undefined;
    await this.#eventStore.setRetention(new Map(days));
    this.#told = text;
  }

  async #expire(properties: readonly PropertyConfiguration[], now: number): Promise<void> {
    for (const { id, retentionDays: days } of properties) {
      if (days === null || !this.#isDue(id, days, now)) continue;
      await this.#eventStore.expire(id, now - days * DAY_MS);
      // Even if nothing was deleted now: an earlier call may have failed.
      await this.#elsewhere.onExpired(id);
      this.#enforced.set(id, { days, at: moment(now) });
    }
  }

  #isDue(id: string, days: number, now: number): boolean {
    const last = this.#enforced.get(id);
    return last === undefined || last.days !== days || isOver(last.at, now);
  }

  /** Also without any retention: it may have been turned off since the last deletion. */
  async #removeRemains(now: number): Promise<void> {
    if (this.#removed !== undefined && !isOver(this.#removed, now)) return;
    await this.#eventStore.removeRemains(now);
    await this.#elsewhere.removeRemains();
    this.#removed = moment(now);
  }
}

const moment = (now: number): Moment => ({ monotonic: performance.now(), wall: now });

const isOver = ({ monotonic, wall }: Moment, now: number): boolean =>
  performance.now() - monotonic >= INTERVAL_MS || now - wall >= INTERVAL_MS;
