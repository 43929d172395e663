import { aaRoundAt } from '@switchyard/core/lifecycle/aa-test';
import type { AaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import { DAY_MS } from '@switchyard/core/time';
import type { Logger } from 'pino';
import type { Database } from '../../storage/database.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import { latestVerdicts, saveVerdict } from './aa-verdict-store.ts';

const RETRY_MS = 10 * 60 * 1000;

export interface DailyAaTestParts {
  database: Database;
  properties: () => readonly PropertyConfiguration[];
  /** False on a server that has never received an event. */
  hasEvents: () => boolean;
  eventStore: Pick<EventStoreClient, 'sessionPage'>;
  /** Counts and judges the round up to a midnight, on another thread. */
  evaluate: (property: PropertyConfiguration, until: number) => Promise<AaVerdict>;
  /** Called after evaluations. */
  release: () => Promise<void>;
  log: Logger;
}

/**
 * Evaluates the A/A test of each property once per UTC day, when the day is over: so the last verdict of a round is
 * about all of its days, and a repeated evaluation counts the same visitors.
 */
export class DailyAaTest {
  readonly #parts: DailyAaTestParts;
  /** The last evaluated day of each property; without a verdict if there was nothing to count. */
  readonly #latest = new Map<string, { day: number; verdict?: AaVerdict['verdict'] | undefined }>();
  #isLoaded = false;
  /** When to try again after a failure, by the monotonic clock. */
  readonly #retryAt = new Map<string, number>();

  constructor(parts: DailyAaTestParts) {
    this.#parts = parts;
  }

  /** Number of properties whose latest verdict is an alarm. */
  get alarms(): number {
    const isAlarm = ({ id, aaTest }: PropertyConfiguration) =>
      aaTest !== 'off' && this.#latest.get(id)?.verdict === 'alarm';
    return this.#parts.properties().filter(isAlarm).length;
  }

  /** Evaluates what is due, one property at a time. Cheap if nothing is. */
  async run(now: number): Promise<void> {
    const { properties, hasEvents, release } = this.#parts;
    if (!hasEvents()) return;
    if (!this.#isLoaded) await this.#load();
    const day = Math.floor(now / DAY_MS) - 1;
    const due = properties().filter((property) => this.#isDue(property, day));
    for (const property of due) await this.#evaluate(property, day);
    if (due.length > 0) await release();
  }

  async #load(): Promise<void> {
    for (const { propertyId, ...latest } of await latestVerdicts(this.#parts.database)) {
      this.#latest.set(propertyId, latest);
    }
    this.#isLoaded = true;
  }

  #isDue({ id, aaTest }: PropertyConfiguration, day: number): boolean {
    if (aaTest === 'off' || performance.now() < (this.#retryAt.get(id) ?? 0)) return false;
    return (this.#latest.get(id)?.day ?? 0) < day;
  }

  async #evaluate(property: PropertyConfiguration, day: number): Promise<void> {
    const { database, log } = this.#parts;
    const { id: propertyId, aaTest } = property;
    try {
      const evaluated = await this.#verdictOn(property, (day + 1) * DAY_MS);
      if (evaluated !== undefined) {
        const mode = aaTest === 'exposures' ? 'exposures' : 'assignment';
        const round = aaRoundAt(day * DAY_MS).number;
        await saveVerdict(database, propertyId, { ...evaluated, day, round, mode });
        const isNewAlarm = evaluated.verdict === 'alarm' && this.#latest.get(propertyId)?.verdict !== 'alarm';
        if (isNewAlarm) log.warn({ propertyId }, `A/A test: ${evaluated.words}`);
      }
      this.#latest.set(propertyId, { day, verdict: evaluated?.verdict });
      this.#retryAt.delete(propertyId);
    } catch (err) {
      this.#retryAt.set(propertyId, performance.now() + RETRY_MS);
      // A busy or stopping server is no reason for concern.
      if ((err as { code?: unknown }).code === 'overloaded') return;
      log.error({ err, propertyId }, 'evaluation of the A/A test failed; retrying in 10 minutes');
    }
  }

  /** Undefined if the round has no sessions, which is found out without another thread. */
  async #verdictOn(property: PropertyConfiguration, until: number): Promise<AaVerdict | undefined> {
    const { startedAt: from } = aaRoundAt(until - 1);
    const query = { propertyId: property.id, from, to: until, limit: 1 };
    const { rows } = await this.#parts.eventStore.sessionPage(query);
    return rows.length === 0 ? undefined : this.#parts.evaluate(property, until);
  }
}
