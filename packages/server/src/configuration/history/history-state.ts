import { applyDifferences } from '@switchyard/core/merge/differences';
import { isObject } from '@switchyard/core/merge/json-value';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Document } from '../property/entities.ts';
import type { FieldOf, ItemType, PropertyConfiguration } from '../property/property-configuration.ts';
import type { HistoryEntry } from './history-entry.ts';

interface StateItem {
  document: Document;
  version: number;
}

/** The JSON form, in snapshots. */
export interface SerializedState {
  property: Document;
  version: number;
  items: [ItemType, string, StateItem][];
}

/** Lists that only the present needs. */
const PRESENT = ['apiKeys', 'webhooks', 'members'] as const satisfies FieldOf<ItemType>[];

/** A configuration without what only the present needs. */
export type PastConfiguration = Omit<PropertyConfiguration, (typeof PRESENT)[number] | 'holdoutPeriod'>;

/** The configuration of a property as documents, rebuilt entry by entry. */
export class HistoryState {
  readonly #model: ConfigurationModel;
  #property: Document | undefined;
  #version = 0;
  readonly #items: ReadonlyMap<ItemType, Map<string, StateItem>>;

  constructor(model: ConfigurationModel) {
    this.#model = model;
    this.#items = new Map(model.types.map((type) => [type, new Map()]));
  }

  static of(model: ConfigurationModel, property: PropertyConfiguration): HistoryState {
    const state = new HistoryState(model);
    state.#property = model.propertyDocument(property);
    state.#version = property.version;
    for (const type of model.types) {
      for (const item of model.itemsOf(property, type)) {
        const { version = 1 } = item as { version?: number };
        state.#list(type).set(model.keyOf(type, item), { document: model.documentOf(type, item), version });
      }
    }
    return state;
  }

  static parse(model: ConfigurationModel, serialized: SerializedState): HistoryState {
    const state = new HistoryState(model);
    state.#property = serialized.property;
    state.#version = serialized.version;
    for (const [type, key, item] of serialized.items) state.#list(type).set(key, item);
    return state;
  }

  serialize(): SerializedState {
    return {
      property: this.#property ?? {},
      version: this.#version,
      items: this.#model.types.flatMap((type) =>
        [...this.#list(type)].map(([key, item]): [ItemType, string, StateItem] => [type, key, item]),
      ),
    };
  }

  /** Undefined if the property does not exist. */
  get property(): Document | undefined {
    return this.#property;
  }

  item(type: ItemType, key: string): StateItem | undefined {
    return this.#list(type).get(key);
  }

  apply({ entity: { type, key }, action, changes, version, propertyVersion }: HistoryEntry): void {
    this.#version = propertyVersion;
    if (type === 'property') {
      if (action === 'delete') this.#clear();
      else this.#property = changed(this.#property, changes);
    } else if (action === 'delete') this.#list(type).delete(key);
    else {
      const document = changed(this.#list(type).get(key)?.document, changes);
      this.#list(type).set(key, { document, version });
    }
  }

  /** The configuration that was in force; undefined if the property did not exist. */
  configuration(): PastConfiguration | undefined {
    if (this.#property === undefined) return undefined;
    const known = this.#model.saved.filter(({ field }) => !(PRESENT as readonly string[]).includes(field));
    const lists = Object.fromEntries(
      known.map(({ type, field }) => [
        field,
        [...this.#list(type).values()].map(({ document, version }) =>
          this.#model.itemOf(type, document, version),
        ),
      ]),
    );
    const past = { ...this.#property, ...lists, version: this.#version } as unknown as PropertyConfiguration;
    for (const { type, arrange } of known) arrange?.(this.#model.itemsOf(past, type), past);
    return past;
  }

  #clear(): void {
    this.#property = undefined;
    for (const list of this.#items.values()) list.clear();
  }

  #list(type: ItemType): Map<string, StateItem> {
    return this.#items.get(type)!;
  }
}

function changed(document: Document | undefined, changes: HistoryEntry['changes']): Document {
  const after = applyDifferences(document ?? {}, changes);
  return isObject(after) ? after : {};
}
