import { createHash } from 'node:crypto';
import type { Database, DatabaseHandle } from '../database/database.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type {
  ApiKey,
  Item,
  PropertyConfiguration,
  StoredProperty,
} from '../property/property-configuration.ts';

export interface ConfigurationChange {
  propertyId: string;
  /** Undefined when the property is new. */
  previous?: PropertyConfiguration;
  /** Undefined when the property was deleted. */
  current?: PropertyConfiguration;
}

export interface ConfigurationOptions {
  /** Called when a reload or a listener fails; the last good snapshot stays in use. */
  onError?: (error: unknown) => void;
  /** Called when changes of this process are visible here; the change is complete when it resolves. */
  onInstalled?: () => Promise<void>;
}

/** Used until the database can be reached; undefined: the first load must succeed. */
type Initial = readonly PropertyConfiguration[] | undefined;

type Listener = (change: ConfigurationChange) => void;

type Properties = ReadonlyMap<string, PropertyConfiguration>;
const RETRY_MS = 1000;
/** A change that takes long to save must not hide those of other processes. */
const MAX_HOLD_MS = 300;
const MAX_KEY_LENGTH = 160;

export function hashKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Loads the whole configuration and reloads it after every change until closed. */
export async function openConfiguration(
  handle: DatabaseHandle,
  model: ConfigurationModel,
  options: ConfigurationOptions & { initial?: Initial } = {},
): Promise<Configuration> {
  const configuration = new Configuration(handle, model, options);
  await configuration.open(options.initial);
  return configuration;
}

/** The configuration in memory, so that requests never query the database for it. */
export class Configuration {
  readonly #handle: DatabaseHandle;
  readonly #model: ConfigurationModel;
  #unwatch = () => {};
  readonly #onError: (error: unknown) => void;
  readonly #onInstalled: () => Promise<void>;
  readonly #listeners = new Set<Listener>();
  #properties: Properties = new Map();
  #keysByHash: ReadonlyMap<string, ApiKey> = new Map();
  /** Cache of valid keys, so that each is hashed only once. */
  #keysByText = new Map<string, ApiKey>();
  #retry: NodeJS.Timeout | undefined;
  #version = 1;
  #reloading: Promise<void> = Promise.resolve();
  /** Changes that are being saved, and whether a reload waits for them. */
  #saving = 0;
  #held: NodeJS.Timeout | undefined;
  #closed = false;

  /** Empty until it is opened. */
  constructor(handle: DatabaseHandle, model: ConfigurationModel, options: ConfigurationOptions) {
    this.#handle = handle;
    this.#model = model;
    this.#onError = options.onError ?? (() => {});
    this.#onInstalled = options.onInstalled ?? (async () => {});
  }

  async open(initial: Initial): Promise<void> {
    // First, so that no change is missed.
    this.#unwatch = this.#handle.watch(() => this.#onDatabaseChange());
    try {
      // When the database is back, it reports a change.
      if (initial === undefined) await this.reload();
      else await this.install(initial.map((current) => ({ propertyId: current.id, current })));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Incremented by every change of a property or key; local to the process. */
  get version(): number {
    return this.#version;
  }

  property(id: string): PropertyConfiguration | undefined {
    return this.#properties.get(id);
  }

  properties(): PropertyConfiguration[] {
    return [...this.#properties.values()];
  }

  keyByText(text: string): ApiKey | undefined {
    const cached = this.#keysByText.get(text);
    if (cached !== undefined || text.length > MAX_KEY_LENGTH) return cached;
    const key = this.#keysByHash.get(hashKey(text));
    if (key !== undefined) this.#keysByText.set(text, key);
    return key;
  }

  /** Calls the listener for each property that a reload changed; returns an unsubscribe function. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when every change committed before the call is visible. */
  reload(): Promise<void> {
    const reloading = this.#reloading.then(() => this.#load());
    // A failed reload must not fail the ones queued after it.
    this.#reloading = reloading.catch(() => {});
    return reloading;
  }

  /**
   * Saves a change and installs it. Meanwhile the database may report the change: a reload would read the whole
   * property, and the installation would have to wait for it.
   */
  async save<T>(run: () => Promise<T>): Promise<T> {
    this.#saving += 1;
    try {
      return await run();
    } finally {
      this.#saving -= 1;
      if (this.#held !== undefined) this.#reloadAfterChange();
    }
  }

  /** Makes saved changes visible without reading them back. */
  async install(changes: readonly Pick<ConfigurationChange, 'propertyId' | 'current'>[]): Promise<void> {
    // After a running reload, which may have read the database before the change.
    const installing = this.#reloading.then(() => {
      const properties = new Map(this.#properties);
      for (const { propertyId, current } of changes) {
        if (current === undefined) properties.delete(propertyId);
        else if (!isNewer(properties.get(propertyId), current))
          properties.set(propertyId, deepFreeze(current));
      }
      this.#replace(properties);
    });
    this.#reloading = installing;
    await installing;
    // Not part of the queue: other processes may wait for a reload of this one.
    await this.#onInstalled();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
    clearTimeout(this.#retry);
    clearTimeout(this.#held);
    await this.#reloading;
  }

  #onDatabaseChange(): void {
    if (this.#saving === 0) this.#reloadAfterChange();
    else this.#held ??= setTimeout(() => this.#reloadAfterChange(), MAX_HOLD_MS).unref();
  }

  #reloadAfterChange(): void {
    clearTimeout(this.#held);
    this.#held = undefined;
    if (this.#retry !== undefined || this.#closed) return;
    this.reload().catch((error) => this.#scheduleRetry(error));
  }

  /** Retries after a delay; until then, changes do not trigger reloads. */
  #scheduleRetry(error: unknown): void {
    this.#onError(error);
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#onDatabaseChange();
    }, RETRY_MS).unref();
  }

  async #load(): Promise<void> {
    if (this.#closed) return;
    this.#replace(await loadProperties(this.#handle.background, this.#model, this.#properties));
  }

  #replace(properties: Properties): void {
    const changes = changesBetween(this.#properties, properties);
    if (changes.length === 0) return;
    this.#properties = properties;
    this.#keysByHash = new Map(
      [...properties.values()].flatMap(({ apiKeys }) => apiKeys.map((key) => [key.hash, key])),
    );
    this.#keysByText = new Map();
    this.#version += 1;
    for (const change of changes) this.#notify(change);
  }

  #notify(change: ConfigurationChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

/** A property that was restored from a backup may have started over with its versions. */
function isNewer(stored: PropertyConfiguration | undefined, { createdAt, version }: PropertyConfiguration) {
  return stored !== undefined && stored.createdAt === createdAt && stored.version > version;
}

function loadProperties(
  database: Database,
  model: ConfigurationModel,
  previous: Properties,
): Promise<Properties> {
  return database
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const properties = new Map<string, PropertyConfiguration>();
      for (const stored of await model.property.rows.list(transaction)) {
        const cached = previous.get(stored.id);
        const unchanged = cached?.version === stored.version && cached.createdAt === stored.createdAt;
        properties.set(stored.id, unchanged ? cached : await loadProperty(transaction, model, stored));
      }
      return properties;
    });
}

/** Loads a property with all its parts as a frozen object. */
export async function loadProperty(
  database: Database,
  model: ConfigurationModel,
  stored: StoredProperty,
): Promise<PropertyConfiguration> {
  const lists: Record<string, readonly Item[]> = {};
  for (const { field, rows } of model.collections) lists[field] = await rows.list(database, stored.id);
  return deepFreeze({ ...stored, ...lists } as PropertyConfiguration);
}

function changesBetween(previous: Properties, current: Properties): ConfigurationChange[] {
  const changes: ConfigurationChange[] = [];
  for (const [propertyId, property] of current) {
    const before = previous.get(propertyId);
    if (before !== property) changes.push({ propertyId, previous: before, current: property });
  }
  for (const [propertyId, property] of previous) {
    if (!current.has(propertyId)) changes.push({ propertyId, previous: property });
  }
  return changes;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
