import { applyDifferences } from '@switchyard/core/merge/differences';
import { isObject } from '@switchyard/core/merge/json-value';
import {
  COLLECTIONS,
  type Document,
  documentOf,
  ITEM_TYPES,
  type ItemType,
  itemOf,
  itemsOf,
  keyOf,
  propertyDocument,
} from '../changes/entities.ts';
import type { PropertyConfiguration } from '../property-configuration.ts';
import type { HistoryEntry } from './history-entry.ts';

interface StateItem {
  document: Document;
  version: number;
}

/** The JSON form, in the first entry of old installations and in snapshots. */
export interface SerializedState {
  property: Document;
  version: number;
  items: [ItemType, string, StateItem][];
}

/** A configuration without what only the present needs: keys, webhooks, members and the period of the holdout. */
export type PastConfiguration = Omit<
  PropertyConfiguration,
  'apiKeys' | 'webhooks' | 'members' | 'holdoutPeriod'
>;

/** The configuration of a property as documents, rebuilt entry by entry. */
export class HistoryState {
  #property: Document | undefined;
  #version = 0;
  readonly #items = new Map<ItemType, Map<string, StateItem>>(ITEM_TYPES.map((type) => [type, new Map()]));

  static of(property: PropertyConfiguration): HistoryState {
    const state = new HistoryState();
    state.#property = propertyDocument(property);
    state.#version = property.version;
    for (const type of ITEM_TYPES) {
      for (const item of itemsOf(property, type)) {
        const { version = 1 } = item as { version?: number };
        state.#list(type).set(keyOf(type, item), { document: documentOf(type, item), version });
      }
    }
    return state;
  }

  static parse(serialized: SerializedState): HistoryState {
    const state = new HistoryState();
    state.#property = serialized.property;
    state.#version = serialized.version;
    for (const [type, key, item] of serialized.items) state.#list(type).set(key, item);
    return state;
  }

  serialize(): SerializedState {
    return {
      property: this.#property ?? {},
      version: this.#version,
      items: ITEM_TYPES.flatMap((type) =>
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
    if (action === 'import') this.#import(changes[0]?.after as SerializedState);
    else if (type === 'property') {
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
    const lists = ITEM_TYPES.map((type) => [COLLECTIONS[type], this.#restore(type)] as const);
    const { apiKeys: _keys, webhooks: _webhooks, members: _members, ...known } = Object.fromEntries(lists);
    return { ...this.#property, ...known, version: this.#version } as unknown as PastConfiguration;
  }

  #restore(type: ItemType): object[] {
    const items = [...this.#list(type).values()].map(({ document, version }) =>
      itemOf(type, document, version),
    );
    if (type !== 'flag') return items;
    const order = [...this.#list('environment').keys()];
    for (const flag of items as { configurations: { environmentId: string }[] }[]) {
      flag.configurations.sort(
        (left, right) => order.indexOf(left.environmentId) - order.indexOf(right.environmentId),
      );
    }
    return items;
  }

  #import(serialized: SerializedState): void {
    this.#clear();
    this.#property = serialized.property;
    for (const [type, key, item] of serialized.items) this.#list(type).set(key, item);
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
