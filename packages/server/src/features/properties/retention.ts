import { DAY_MS } from '@switchyard/core/time';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const INTERVAL_MS = 10 * 60 * 1000;

/** Deletes expired events: every ten minutes, and immediately when the retention of a property changes. */
export class Retention {
  readonly #eventStore: Pick<EventStoreClient, 'expire'>;
  /** `at` is monotonic, so that deletion continues when the wall clock is set back. */
  readonly #enforced = new Map<string, { days: number; at: number }>();

  readonly #onExpired: (propertyId: string) => Promise<void>;

  /** @param onExpired deletes what is stored elsewhere about deleted events */
  constructor(
    eventStore: Pick<EventStoreClient, 'expire'>,
    onExpired: (propertyId: string) => Promise<void>,
  ) {
    this.#eventStore = eventStore;
    this.#onExpired = onExpired;
  }

  async enforce(properties: readonly PropertyConfiguration[], now: number): Promise<void> {
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
