import { aaRoundAt } from '@switchyard/core/lifecycle/aa-test';
import type { AaVerdict } from '@switchyard/core/stats/report/aa-verdict';
import { DAY_MS } from '@switchyard/core/time';
import type { Logger } from 'pino';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { latestVerdicts, saveVerdict } from './aa-verdict-store.ts';

/** Waiting time after a failure; six times as long after each further one, at most a day. */
const RETRY_MS = 10 * 60 * 1000;

export interface DailyAaTestOptions {
  database: Database;
  properties: () => readonly PropertyConfiguration[];
  /** False on a server that has never received an event. */
  hasEvents: () => boolean;
  eventStore: Pick<EventStoreClient, 'sessionPage'>;
  /** Counts and judges the round up to a midnight, on another thread. */
  evaluate: (property: PropertyConfiguration, until: number) => Promise<AaVerdict>;
  /** Called after evaluations. */
  release: () => Promise<void>;
  isStopping: () => boolean;
  /** Time after the start in which nothing is evaluated. */
  startDelayMs: number;
  log: Logger;
}

/**
 * Evaluates the A/A test of each property once per UTC day, when the day is over: so the last verdict of a round is
 * about all of its days, and a repeated evaluation counts the same visitors.
 */
export class DailyAaTest {
  readonly #options: DailyAaTestOptions;
  /** The last evaluated day of each property; without a verdict if there was nothing to count. */
  readonly #latest = new Map<string, { day: number; verdict?: AaVerdict['verdict'] | undefined }>();
  #isLoaded = false;
  #firstRunAt: number | undefined;
  /** Failures in a row, and when to try again, by the monotonic clock. */
  readonly #failures = new Map<string, { count: number; retryAt: number }>();

  constructor(options: DailyAaTestOptions) {
    this.#options = options;
  }

  /** Number of properties whose latest verdict is an alarm. */
  get alarms(): number {
    const isAlarm = ({ id, aaTest }: PropertyConfiguration) =>
      aaTest !== 'off' && this.#latest.get(id)?.verdict === 'alarm';
    return this.#options.properties().filter(isAlarm).length;
  }

  /** Evaluates what is due, one property at a time. Cheap if nothing is. */
  async run(now: number): Promise<void> {
    const { properties, hasEvents, release } = this.#options;
    this.#firstRunAt ??= now;
    if (!hasEvents() || now - this.#firstRunAt < this.#options.startDelayMs) return;
    if (!this.#isLoaded) await this.#load();
    const day = Math.floor(now / DAY_MS) - 1;
    const due = properties().filter((property) => this.#isDue(property, day));
    for (const property of due) {
      for (const each of this.#daysOf(property, day)) await this.#evaluate(property, each);
    }
    if (due.length > 0) await release();
  }

  async #load(): Promise<void> {
    for (const { propertyId, ...latest } of await latestVerdicts(this.#options.database)) {
      this.#latest.set(propertyId, latest);
    }
    this.#isLoaded = true;
  }

  #isDue({ id, aaTest }: PropertyConfiguration, day: number): boolean {
    if (aaTest === 'off' || performance.now() < (this.#failures.get(id)?.retryAt ?? 0)) return false;
    const latest = this.#latest.get(id)?.day ?? 0;
    // A verdict from the future was stored with a wrong clock; one of the next day may be another server's.
    return latest < day || latest > day + 1;
  }

  /** The last day of an earlier round comes first, if no server was running then: a round needs a final verdict. */
  #daysOf({ id }: PropertyConfiguration, day: number): number[] {
    const latest = this.#latest.get(id)?.day;
    if (latest === undefined || latest >= day) return [day];
    const lastDay = aaRoundAt(latest * DAY_MS).endsAt / DAY_MS - 1;
    return latest < lastDay && lastDay < day ? [lastDay, day] : [day];
  }

  async #evaluate(property: PropertyConfiguration, day: number): Promise<void> {
    const { database, log } = this.#options;
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
      this.#failures.delete(propertyId);
    } catch (err) {
      if (this.#options.isStopping()) return;
      const count = (this.#failures.get(propertyId)?.count ?? 0) + 1;
      const waitMs = Math.min(DAY_MS, RETRY_MS * 6 ** (count - 1));
      this.#failures.set(propertyId, { count, retryAt: performance.now() + waitMs });
      const retry = `retrying in ${Math.round(waitMs / 60_000)} minutes`;
      log.error({ err, propertyId }, `evaluation of the A/A test failed; ${retry}`);
    }
  }

  /** Undefined if the round has no sessions, which is found out without another thread. */
  async #verdictOn(property: PropertyConfiguration, until: number): Promise<AaVerdict | undefined> {
    const { startedAt: from } = aaRoundAt(until - 1);
    const query = { propertyId: property.id, from, to: until, limit: 1 };
    const { rows } = await this.#options.eventStore.sessionPage(query);
    return rows.length === 0 ? undefined : this.#options.evaluate(property, until);
  }
}
