import type { Role } from '@switchyard/core/api/roles';
import { isObject } from '@switchyard/core/merge/json-value';
import type {
  CollectionDefinition,
  ManagedCollection,
} from '../../configuration/definitions/collection-definition.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { Document } from '../../configuration/property/entities.ts';
import type { Item, ItemType } from '../../configuration/property/property-configuration.ts';

/** A list of a property that is managed under `P/{path}/{key}`. */
export interface Collection extends ManagedCollection<ItemType> {
  type: ItemType;
  /** For summaries and messages. */
  noun: string;
  /** Name of the list in a provision file. */
  field: CollectionDefinition['field'];
  keyField: CollectionDefinition['keyField'];
  readOnly: readonly string[];
}

/** In the order of the API. */
export function managedCollections(model: ConfigurationModel): Collection[] {
  return model.collections.flatMap(({ type, field, keyField, managed }) => {
    if (managed === undefined) return [];
    const readOnly = ['version', ...(managed.readOnly ?? [])];
    return [{ ...managed, type, noun: type.replace('-', ' '), field, keyField, readOnly }];
  });
}

export function collectionAt(model: ConfigurationModel, path: string): Collection | undefined {
  return managedCollections(model).find((each) => each.path === path);
}

export function collectionOf(model: ConfigurationModel, type: ItemType): Collection | undefined {
  return managedCollections(model).find((each) => each.type === type);
}

/** Whose items somebody with a role can change. */
export const pathsFor = (model: ConfigurationModel, role: Role): string[] =>
  managedCollections(model).flatMap(({ access, path }) => (access === role ? [path] : []));

export function responseOf(model: ConfigurationModel, type: ItemType, item: Item): object {
  return { ...model.documentOf(type, item), version: versionOf(item) };
}

/** API keys have none. */
export const versionOf = (item: Item): number => ('version' in item ? item.version : 0);

/** The fields that a caller can set. A field that is null has its default, as one that is missing. */
export function editable({ readOnly }: Pick<Collection, 'readOnly'>, document: unknown): Document {
  const withoutReadOnly = readOnly.reduce((value, path) => without(value, path.split('/')), document);
  if (!isObject(withoutReadOnly)) return {};
  return Object.fromEntries(Object.entries(withoutReadOnly).filter(([, value]) => value !== null));
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([member, content]): [string, unknown][] => {
      if (name !== '*' && name !== member) return [[member, content]];
      return rest.length === 0 ? [] : [[member, without(content, rest)]];
    }),
  );
}
