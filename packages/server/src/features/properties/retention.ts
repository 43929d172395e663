import { DAY_MS } from '@switchyard/core/time';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const INTERVAL_MS = 10 * 60 * 1000;

type Store = Pick<EventStoreClient, 'expire' | 'setRetention'>;

/**
 * Deletes expired events: every ten minutes, and immediately when the retention of a property changes. Also tells the
 * event store, which may delete them by itself.
 */
export class Retention {
  readonly #eventStore: Store;
  /** `at` is monotonic, so that deletion continues when the wall clock is set back. */
  readonly #enforced = new Map<string, { days: number; at: number }>();

  /** The settings that the event store has, as text. */
  #told: string | undefined;

  readonly #onExpired: (propertyId: string) => Promise<void>;

  /** @param onExpired deletes what is stored elsewhere about deleted events */
  constructor(eventStore: Store, onExpired: (propertyId: string) => Promise<void>) {
    this.#eventStore = eventStore;
    this.#onExpired = onExpired;
  }

  async enforce(properties: readonly PropertyConfiguration[], now: number): Promise<void> {
    // One after the other, because both change the same tables; a failure of the first does not prevent the second.
    const [told] = await Promise.allSettled([this.#tell(properties)]);
    await this.#expire(properties, now);
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
      if (days === null || !this.#isDue(id, days)) continue;
      await this.#eventStore.expire(id, now - days * DAY_MS);
      // Even if nothing was deleted now: an earlier call may have failed.
      await this.#onExpired(id);
      this.#enforced.set(id, { days, at: performance.now() });
    }
  }

  #isDue(id: string, days: number): boolean {
    const last = this.#enforced.get(id);
    return last === undefined || last.days !== days || performance.now() - last.at >= INTERVAL_MS;
  }
}
