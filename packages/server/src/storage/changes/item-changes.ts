import { type Difference, differences } from '@switchyard/core/merge/differences';
import type { PropertyConfiguration } from '../property-configuration.ts';
import {
  COLLECTIONS,
  documentOf,
  type EntityType,
  ITEM_TYPES,
  type Item,
  type ItemType,
  itemsOf,
  keyOf,
  propertyDocument,
} from './entities.ts';

/** The change of one item. */
export interface ItemChange {
  type: EntityType;
  key: string;
  action: 'create' | 'update' | 'delete';
  /** The item after the change, or the deleted one; undefined for the property itself. */
  item: Item | undefined;
  differences: Difference[];
  /** Version after the change. */
  version: number;
}

/** The changes that lead from one state of a property to the next, in the order in which they must be saved. */
export function changedItems(
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
): ItemChange[] {
  const changes = ITEM_TYPES.map((type) => changesOfType(type, previous, next));
  // Items that refer to others are saved after them, and deleted before them.
  const deleted = changes.map((list) => list.filter(({ action }) => action === 'delete')).reverse();
  const saved = changes.map((list) => list.filter(({ action }) => action !== 'delete'));
  return [...propertyChange(previous, next, 'save'), ...deleted.flat(), ...saved.flat()].concat(
    propertyChange(previous, next, 'delete'),
  );
}

function propertyChange(
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
  step: 'save' | 'delete',
): ItemChange[] {
  const key = next?.id ?? previous?.id;
  if (key === undefined || (step === 'delete') !== (next === undefined)) return [];
  const changes = differences(
    previous === undefined ? {} : propertyDocument(previous),
    next === undefined ? {} : propertyDocument(next),
  );
  if (changes.length === 0) return [];
  const action = previous === undefined ? 'create' : next === undefined ? 'delete' : 'update';
  const version = previous === undefined ? 1 : previous.version + 1;
  return [{ type: 'property', key, action, item: undefined, differences: changes, version }];
}

function changesOfType(
  type: ItemType,
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
): ItemChange[] {
  const before = new Map(itemsIn(previous, type).map((item) => [keyOf(type, item), item]));
  const changes: ItemChange[] = [];
  for (const item of itemsIn(next, type)) {
    const key = keyOf(type, item);
    const old = before.get(key);
    before.delete(key);
    if (item === old) continue;
    const changed = differences(old === undefined ? {} : documentOf(type, old), documentOf(type, item));
    if (old !== undefined && changed.length === 0 && !secretChanged(old, item)) continue;
    const version = (versionOf(old) ?? 0) + 1;
    const action = old === undefined ? 'create' : 'update';
    changes.push({ type, key, action, item: withVersion(item, version), differences: changed, version });
  }
  for (const [key, item] of before) {
    const version = (versionOf(item) ?? 0) + 1;
    changes.push({
      type,
      key,
      action: 'delete',
      item,
      differences: differences(documentOf(type, item), {}),
      version,
    });
  }
  return changes;
}

const itemsIn = (property: PropertyConfiguration | undefined, type: ItemType): readonly Item[] =>
  property === undefined ? [] : itemsOf(property, type);

const versionOf = (item: Item | undefined) => (item as { version?: number } | undefined)?.version;

/** API keys have no version: only their name can change. */
function withVersion(item: Item, version: number): Item {
  return 'version' in item ? { ...item, version } : item;
}

/** Secrets are not part of documents, but replacing one is a change. */
function secretChanged(before: Item, after: Item): boolean {
  return ['secret', 'hash'].some((name) => Reflect.get(before, name) !== Reflect.get(after, name));
}

/**
 * The property with new versions for itself and the changed items; unchanged items stay the same objects. Lists are in
 * the order in which they are stored: new items come last.
 */
export function withVersions(
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration,
  changes: readonly ItemChange[],
  version: number,
): PropertyConfiguration {
  const lists = ITEM_TYPES.map((type) => {
    const changed = new Map(
      changes.flatMap((change) => (change.type === type ? [[change.key, change.item] as const] : [])),
    );
    if (changed.size === 0 && previous !== undefined) return [COLLECTIONS[type], itemsOf(previous, type)];
    const wanted = new Map(itemsOf(next, type).map((item) => [keyOf(type, item), item]));
    const kept = itemsIn(previous, type).filter((item) => wanted.delete(keyOf(type, item)));
    const items = [...kept, ...wanted.values()].map((item) => changed.get(keyOf(type, item)) ?? item);
    return [COLLECTIONS[type], items];
  });
  return { ...next, ...Object.fromEntries(lists), version };
}
