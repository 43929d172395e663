import type { ItemType } from '../configuration/configuration-types.ts';

/** The changes of one item, newest first, each of which can be undone. */
export function ItemHistory(_props: { type: ItemType; itemKey: string }) {
  return null;
}
