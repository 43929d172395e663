import type { FlagUsageList } from '@switchyard/core/api/flag-usage';
import { HOUR_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { flagUsage, USAGE_PERIOD_MS } from './flag-usage.ts';
import { readCountingSince, readUsage } from './flag-usage-store.ts';
import { readLatestValues } from './latest-value-store.ts';

/** Values per flag and environment: a list of all flags shows fewer. */
const MAX_VALUES = { all: 10, one: 100 };
/** Other processes may write too. */
const MAX_AGE_MS = 10_000;

interface CachedList {
  property: PropertyConfiguration;
  revision: number;
  /** Monotonic. */
  readAt: number;
  list: Promise<FlagUsageList>;
}

/** Reads the usage of flags. Requests share one query of a property until something was written. */
export class FlagUsageReader {
  readonly #database: Database;
  readonly #revision: () => number;
  readonly #lists = new Map<string, CachedList>();

  /** @param revision changes when counts are written */
  constructor(database: Database, revision: () => number) {
    this.#database = database;
    this.#revision = revision;
  }

  /** @param flagKey default: all flags; the list is empty if there is no such flag */
  read(property: PropertyConfiguration, flagKey?: string): Promise<FlagUsageList> {
    const now = Date.now();
    if (flagKey === undefined) return this.#readAll(property, now);
    return this.#query(property, now, flagKey);
  }

  #readAll(property: PropertyConfiguration, now: number): Promise<FlagUsageList> {
    const revision = this.#revision();
    const readAt = performance.now();
    const cached = this.#lists.get(property.id);
    const isCurrent = cached?.property === property && cached.revision === revision;
    if (isCurrent && readAt - cached.readAt < MAX_AGE_MS) return cached.list;
    const list = this.#query(property, now);
    this.#lists.set(property.id, { property, revision, readAt, list });
    list.catch(() => this.#lists.delete(property.id));
    return list;
  }

  #query(property: PropertyConfiguration, now: number, flagKey?: string): Promise<FlagUsageList> {
    const propertyId = property.id;
    const flags = property.flags.filter(({ key }) => flagKey === undefined || key === flagKey);
    const from = now - USAGE_PERIOD_MS;
    const maxValues = flagKey === undefined ? MAX_VALUES.all : MAX_VALUES.one;
    return this.#database
      .transaction()
      .setAccessMode('read only')
      .execute(async (transaction) => {
        const filter = { propertyId, from: from - (from % HOUR_MS), flagKey, maxValues };
        const countingSince = await readCountingSince(transaction);
        const usage = flagUsage({
          flags,
          allFlags: property.flags,
          environments: await readEnvironments(transaction, propertyId),
          totals: await readUsage(transaction, filter),
          latest: await readLatestValues(
            transaction,
            propertyId,
            flagKey === undefined ? undefined : [flagKey],
          ),
          countingSince,
          now,
        });
        return { countingSince, flags: usage };
      });
  }
}

async function readEnvironments(
  database: Database,
  propertyId: string,
): Promise<{ id: string; createdAt: number }[]> {
  return database
    .selectFrom('environments')
    .select(['id', 'created_at as createdAt'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
}
