import { isObject, memberOf, sameJson } from '@switchyard/core/merge/json-value';

/** An item of a list before and after a change. */
interface ItemPair {
  before?: ListItem;
  after?: ListItem;
}

export interface ListItem {
  value: unknown;
  /** Counted from 1. */
  position: number;
}

export interface ListChanges {
  pairs: ItemPair[];
  /** The items that stay are in another order, or new ones are not at the end. */
  order: { kept: boolean; all: boolean };
}

/**
 * Pairs the items of two lists by what identifies them. Of a change that is only known by its pointers, a list is an
 * object with the changed items by their index.
 */
export function listChanges(from: unknown, to: unknown, identity: string): ListChanges {
  const [before, after] = [itemsOf(from), itemsOf(to)];
  const isList = Array.isArray(from) || Array.isArray(to);
  const byIdentity = isList && [before, after].every((items) => isUnique(items, identity));
  const idOf = (item: ListItem) => (byIdentity ? identify(item.value, identity) : item.position);
  const [old, current] = [before, after].map((items) => new Map(items.map((item) => [idOf(item), item])));
  const ids = new Set([...old!.keys(), ...current!.keys()]);
  const pairs = [...ids].map((id): ItemPair => {
    const [left, right] = [old!.get(id), current!.get(id)];
    return { ...(left && { before: left }), ...(right && { after: right }) };
  });
  return { pairs, order: orderOf([...old!.keys()], [...current!.keys()]) };
}

function itemsOf(value: unknown): ListItem[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ value: item, position: index + 1 }));
  return isObject(value)
    ? Object.entries(value).map(([index, item]) => ({ value: item, position: Number(index) + 1 }))
    : [];
}

/** A text identifies itself. */
export const identify = (value: unknown, identity: string): unknown =>
  isObject(value) ? memberOf(value, identity) : value;

function isUnique(items: readonly ListItem[], identity: string): boolean {
  const ids = items.map(({ value }) => identify(value, identity));
  return ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
}

function orderOf(before: readonly unknown[], after: readonly unknown[]): ListChanges['order'] {
  const old = new Set(before);
  const current = new Set(after);
  const kept = before.filter((id) => current.has(id));
  const keptAfter = after.filter((id) => old.has(id));
  const expected = [...kept, ...after.filter((id) => !old.has(id))];
  return { kept: !sameJson(kept, keptAfter), all: !sameJson(expected, after) };
}
