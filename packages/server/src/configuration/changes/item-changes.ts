import { type Difference, differences } from '@switchyard/core/merge/differences';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { EntityType } from '../property/entities.ts';
import type { Item, ItemType, PropertyConfiguration } from '../property/property-configuration.ts';

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
  model: ConfigurationModel,
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
): ItemChange[] {
  const changes = model.types.map((type) => changesOfType(model, type, previous, next));
  // Items that refer to others are saved after them, and deleted before them.
  const deleted = changes.map((list) => list.filter(({ action }) => action === 'delete')).reverse();
  const saved = changes.map((list) => list.filter(({ action }) => action !== 'delete'));
  return [
    ...propertyChange(model, previous, next, 'save'),
    ...deleted.flat(),
    ...saved.flat(),
    ...propertyChange(model, previous, next, 'delete'),
  ];
}

function propertyChange(
  model: ConfigurationModel,
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
  step: 'save' | 'delete',
): ItemChange[] {
  const key = next?.id ?? previous?.id;
  if (key === undefined || (step === 'delete') !== (next === undefined)) return [];
  const changes = differences(
    previous === undefined ? {} : model.propertyDocument(previous),
    next === undefined ? {} : model.propertyDocument(next),
  );
  if (changes.length === 0) return [];
  const action = previous === undefined ? 'create' : next === undefined ? 'delete' : 'update';
  const version = previous === undefined ? 1 : previous.version + 1;
  return [{ type: 'property', key, action, item: undefined, differences: changes, version }];
}

function changesOfType(
  model: ConfigurationModel,
  type: ItemType,
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration | undefined,
): ItemChange[] {
  const { secret } = model.collection(type);
  const documentOf = (item: Item) => model.documentOf(type, item);
  const before = new Map(itemsIn(model, previous, type).map((item) => [model.keyOf(type, item), item]));
  const changes: ItemChange[] = [];
  for (const item of itemsIn(model, next, type)) {
    const key = model.keyOf(type, item);
    const old = before.get(key);
    before.delete(key);
    if (item === old) continue;
    const changed = differences(old === undefined ? {} : documentOf(old), documentOf(item));
    if (old !== undefined && changed.length === 0 && isSame(old, item, secret)) continue;
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
      differences: differences(documentOf(item), {}),
      version,
    });
  }
  return changes;
}

const itemsIn = (
  model: ConfigurationModel,
  property: PropertyConfiguration | undefined,
  type: ItemType,
): readonly Item[] => (property === undefined ? [] : model.itemsOf(property, type));

const versionOf = (item: Item | undefined) => (item as { version?: number } | undefined)?.version;

/** API keys have no version: only their name can change. */
function withVersion(item: Item, version: number): Item {
  return 'version' in item ? { ...item, version } : item;
}

/** A secret is not part of documents, but replacing it is a change. */
function isSame(before: Item, after: Item, secret: string | undefined): boolean {
  if (secret === undefined) return true;
  const [old, current] = [before, after] as unknown as Readonly<Record<string, unknown>>[];
  return old?.[secret] === current?.[secret];
}

/**
 * The property with new versions for itself and the changed items; unchanged items stay the same objects. Lists are in
 * the order in which they are stored: new items come last.
 */
export function withVersions(
  model: ConfigurationModel,
  previous: PropertyConfiguration | undefined,
  next: PropertyConfiguration,
  changes: readonly ItemChange[],
  version: number,
): PropertyConfiguration {
  const lists = model.saved.map(({ type, field }) => {
    const changed = new Map(
      changes.flatMap((change) => (change.type === type ? [[change.key, change.item] as const] : [])),
    );
    if (changed.size === 0 && previous !== undefined) return [field, model.itemsOf(previous, type)];
    const keyOf = (item: Item) => model.keyOf(type, item);
    const wanted = new Map(model.itemsOf(next, type).map((item) => [keyOf(item), item]));
    const kept = itemsIn(model, previous, type).filter((item) => wanted.delete(keyOf(item)));
    const items = [...kept, ...wanted.values()].map((item) => changed.get(keyOf(item)) ?? item);
    return [field, items];
  });
  return { ...next, ...Object.fromEntries(lists), version };
}
