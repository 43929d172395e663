import type { ItemType } from './property-configuration.ts';

export type EntityType = ItemType | 'property';

/** The state of an item as JSON, without secrets and without its version. */
export type Document = Readonly<Record<string, unknown>>;

/** How others refer to an item: by its id, or by its key. */
export interface Reference {
  type: EntityType;
  key: string;
}
