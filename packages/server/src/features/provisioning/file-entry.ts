import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { Document } from '../../configuration/property/entities.ts';
import type { ItemOf, ItemType } from '../../configuration/property/property-configuration.ts';

/** An item as in a file, including fields without a value. Omits what cannot be provisioned. */
export function fileEntry<T extends ItemType>(model: ConfigurationModel, type: T, item: ItemOf<T>): Document {
  const document = model.documentOf(type, item);
  return model.collection(type).file?.entryOf?.(document, item) ?? document;
}

/** An item as an export has it, without fields that have no value; undefined if it cannot be exported. */
export function exportedEntry(
  model: ConfigurationModel,
  type: ItemType,
  item: ItemOf<ItemType>,
): Document | undefined {
  const entry = withoutNulls(fileEntry(model, type, item));
  const { file } = model.collection(type);
  return file?.exported === undefined ? entry : file.exported(entry, item);
}

const withoutNulls = (entry: Document): Document =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
