import { changedItems, type ItemChange, withVersions } from '../changes/item-changes.ts';
import type { Database } from '../database/database.ts';
import { inLockingTransaction } from '../database/in-transaction.ts';
import { lockProperty } from '../database/lock-property.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import { documentAtVersion } from '../history/configuration-at.ts';
import type { HistoryEntry, NewEntry } from '../history/history-entry.ts';
import { appendHistory, lastRow } from '../history/history-store.ts';
import { saveSnapshotIfDue } from '../history/snapshot-store.ts';
import { deriveHoldout } from '../phases/derive-holdout.ts';
import { derivePhases } from '../phases/derive-phases.ts';
import { fixDecisionRules } from '../phases/fix-decision-rules.ts';
import type { Actor, Via } from '../property/actor.ts';
import type { Document, EntityType } from '../property/entities.ts';
import type { ApiKey, PropertyConfiguration } from '../property/property-configuration.ts';
import type { Configuration } from '../snapshot/configuration.ts';
import { loadProperty } from '../snapshot/configuration.ts';
import { continuedVersions } from './continued-versions.ts';

/** Who changes a property, how and why. */
export interface ChangeRequest {
  actor: Actor;
  via: Via;
  comment?: string | null | undefined;
  /** Computes and checks everything, but saves nothing. */
  dryRun?: boolean;
}

/** What a change of one property receives. */
export interface ChangeInput {
  /** Undefined if the property does not exist. */
  current: PropertyConfiguration | undefined;
  now: number;
  /** The version of the property after the change. */
  nextVersion: number;
  /** The transaction, for reading what is not part of the configuration. */
  database: Database;
  /** When the phases of split tests start and end; default: now. */
  setEffectiveTime(at: number): void;
  /** The state of an item at one of its earlier versions, for merging. */
  documentAtVersion(type: EntityType, key: string, version: number): Promise<Document | undefined>;
}

/** The property after the change; undefined deletes it, and the current object leaves it unchanged. */
export type Change = (
  input: ChangeInput,
) => PropertyConfiguration | undefined | Promise<PropertyConfiguration | undefined>;

export interface Changed {
  propertyId: string;
  previous: PropertyConfiguration | undefined;
  current: PropertyConfiguration | undefined;
  /** The changed items, also of a dry run. */
  changes: ItemChange[];
  /** The saved entries of the history; none after a dry run. */
  entries: HistoryEntry[];
}

/** Runs in the transaction of a change, for notifications that must not be lost. */
export type AfterChange = (database: Database, changed: Changed, request: ChangeRequest) => Promise<void>;

/** Throws if no property with this id may be created now. */
type BeforeCreation = (database: Database, propertyId: string) => Promise<void>;

interface WriterOptions {
  /** The configuration in memory; it has the change when the writer returns. */
  configuration?: Configuration;
  beforeCreation?: BeforeCreation;
  afterChange?: AfterChange;
}

/** The only writer of configuration, for requests, files, the command line and schedules alike. */
export class ConfigurationWriter {
  readonly #database: Database;
  readonly #model: ConfigurationModel;
  readonly #options: WriterOptions;

  constructor(database: Database, model: ConfigurationModel, options: WriterOptions = {}) {
    this.#database = database;
    this.#model = model;
    this.#options = options;
  }

  /** Changes one property: checks, phases, versions and history in one transaction. */
  async changeProperty(propertyId: string, request: ChangeRequest, change: Change): Promise<Changed> {
    return this.transaction(request, (changes) => changes.changeProperty(propertyId, change));
  }

  /** Changes several properties, all or none. */
  async transaction<T>(request: ChangeRequest, run: (changes: ChangeTransaction) => Promise<T>): Promise<T> {
    const { configuration } = this.#options;
    const saveAndInstall = async () => {
      const { result, saved } = await this.#execute(request, run);
      if (saved.length > 0) await configuration?.install(saved);
      return result;
    };
    return configuration === undefined || request.dryRun
      ? saveAndInstall()
      : configuration.save(saveAndInstall);
  }

  async #execute<T>(request: ChangeRequest, run: (changes: ChangeTransaction) => Promise<T>) {
    const done: Changed[] = [];
    const attempt = (database: Database) => {
      done.length = 0;
      return run(new ChangeTransaction(database, this.#model, this.#options, request, done));
    };
    const result = request.dryRun
      ? await this.#database.transaction().setAccessMode('read only').execute(attempt)
      : await inLockingTransaction(this.#database, attempt);
    return { result, saved: done.filter(({ entries }) => entries.length > 0) };
  }
}

interface SaveTimes {
  now: number;
  /** When phases start and end. */
  effectiveAt: number;
  nextVersion: number;
}

export class ChangeTransaction {
  readonly database: Database;
  readonly #model: ConfigurationModel;
  readonly #options: WriterOptions;
  readonly #request: ChangeRequest;
  readonly #done: Changed[];

  constructor(
    database: Database,
    model: ConfigurationModel,
    options: WriterOptions,
    request: ChangeRequest,
    done: Changed[],
  ) {
    this.database = database;
    this.#model = model;
    this.#options = options;
    this.#request = request;
    this.#done = done;
  }

  async changeProperty(propertyId: string, change: Change): Promise<Changed> {
    if (!this.#request.dryRun) await lockProperty(this.database, propertyId);
    const now = Date.now();
    const previous = await this.#load(propertyId);
    const nextVersion = 1 + (previous?.version ?? (await this.#deletedVersion(propertyId)));
    let effectiveAt = now;
    const wanted = await change({
      current: previous,
      now,
      nextVersion,
      database: this.database,
      setEffectiveTime: (at) => {
        effectiveAt = at;
      },
      documentAtVersion: (type, key, version) =>
        documentAtVersion(this.database, this.#model, propertyId, { type, key }, version),
    });
    if (previous === undefined && wanted !== undefined) {
      await this.#options.beforeCreation?.(this.database, propertyId);
    }
    const held = wanted && deriveHoldout(previous, wanted, effectiveAt);
    const next = held && fixDecisionRules(previous, derivePhases(previous, held, effectiveAt, now));
    const changes = await this.#versioned(propertyId, changedItems(this.#model, previous, next), nextVersion);
    const current =
      changes.length === 0
        ? previous
        : next && withVersions(this.#model, previous, next, changes, nextVersion);
    const changed: Changed = { propertyId, previous, current, changes, entries: [] };
    if (changes.length > 0 && !this.#request.dryRun) {
      await this.#save(changed, { now, effectiveAt, nextVersion });
    }
    this.#done.push(changed);
    return changed;
  }

  async allKeys(): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for (const { id } of await this.#model.property.rows.list(this.database)) {
      keys.push(...(await this.#model.collection('key').rows.list(this.database, id)));
    }
    return keys;
  }

  /** The configuration in memory if it is current, else from the database. */
  async #load(propertyId: string): Promise<PropertyConfiguration | undefined> {
    const properties = await this.#model.property.rows.list(this.database, propertyId);
    const stored = properties[0];
    if (stored === undefined) return undefined;
    const cached = this.#options.configuration?.property(propertyId);
    const isCurrent = cached?.version === stored.version && cached.createdAt === stored.createdAt;
    return isCurrent ? cached : loadProperty(this.database, this.#model, stored);
  }

  /** The last version of a property that does not exist anymore. */
  async #deletedVersion(propertyId: string): Promise<number> {
    return (await lastRow(this.database, propertyId))?.property_version ?? 0;
  }

  async #versioned(
    propertyId: string,
    changes: readonly ItemChange[],
    nextVersion: number,
  ): Promise<ItemChange[]> {
    const versioned = await continuedVersions(this.database, propertyId, changes);
    return versioned.map((change) =>
      change.type === 'property' ? { ...change, version: nextVersion } : change,
    );
  }

  async #save(changed: Changed, { now, effectiveAt, nextVersion }: SaveTimes): Promise<void> {
    const { propertyId, current, changes } = changed;
    await this.#saveRows(changed, effectiveAt);
    changed.entries = await appendHistory(
      this.database,
      {
        propertyId,
        actor: this.#request.actor,
        via: this.#request.via,
        comment: this.#request.comment ?? null,
        at: now,
        propertyVersion: nextVersion,
      },
      changes.map(toEntry),
    );
    const last = changed.entries.at(-1);
    if (current !== undefined && last !== undefined) {
      await saveSnapshotIfDue(this.database, this.#model, propertyId, last.sequence, current);
    }
    await this.#options.afterChange?.(this.database, changed, this.#request);
  }

  async #saveRows({ propertyId, previous, current, changes }: Changed, at: number): Promise<void> {
    const { rows } = this.#model.property;
    if (current === undefined) return rows.remove(this.database, propertyId);
    if (previous === undefined) await rows.insert(this.database, current, at);
    else await rows.update(this.database, current, at);
    for (const change of changes) await this.#saveItem(propertyId, change, at);
  }

  async #saveItem(propertyId: string, { type, item, action }: ItemChange, at: number): Promise<void> {
    if (type === 'property' || item === undefined) return;
    const { rows } = this.#model.collection(type);
    if (action === 'create') await rows.insert(this.database, propertyId, item, at);
    else if (action === 'update') await rows.update(this.database, propertyId, item, at);
    else await rows.remove(this.database, propertyId, item);
  }
}

function toEntry({ type, key, action, differences, version }: ItemChange): NewEntry {
  return { entity: { type, key }, action, changes: differences, version };
}
