import { isObject, memberOf, sameJson } from '@switchyard/core/merge/json-value';

/** A changed field. `from` is missing if it had no value, `to` if it has none any more. */
export interface FieldChange {
  /** Name; nested fields are joined with dots. */
  field: string;
  /** Set for items of a list and for nested fields that come, go or change places; then the values are the order. */
  change?: 'added' | 'removed' | 'order';
  from?: unknown;
  to?: unknown;
}

/** Names that identify an item of a list; others are compared as a whole or by position. */
const IDENTITIES = ['id', 'key', 'flag'];
const COMPARED_BY_POSITION = new Set(['conditions', 'schedule']);

/** The differences, field by field. Fields missing from `after` are unchanged; nested objects are complete. */
export function fieldChanges(before: object | undefined, after: object): FieldChange[] {
  return Object.entries(after).flatMap(([name, to]) => {
    const from = isObject(before) ? memberOf(before, name) : undefined;
    return to === undefined ? [] : valueChanges(name, name, from, to);
  });
}

function valueChanges(field: string, name: string, from: unknown, to: unknown): FieldChange[] {
  if (sameJson(from ?? null, to ?? null)) return [];
  if (to === undefined) return [{ field, change: 'removed', from }];
  if (isObject(to) && (from === undefined || from === null || isObject(from))) {
    return objectChanges(field, from ?? {}, to);
  }
  if (Array.isArray(from) && Array.isArray(to)) return listChanges(field, name, from, to);
  return [from === undefined ? { field, to } : { field, from, to }];
}

function objectChanges(
  field: string,
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): FieldChange[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) =>
    valueChanges(`${field}.${name}`, name, memberOf(from, name), memberOf(to, name)),
  );
}

function listChanges(
  field: string,
  name: string,
  from: readonly unknown[],
  to: readonly unknown[],
): FieldChange[] {
  const [before, after] = itemsById(name, from, to);
  if (before === undefined || after === undefined) return [{ field, from, to }];
  const items = [...new Set([...before.keys(), ...after.keys()])].flatMap((id): FieldChange[] => {
    const [old, current] = [before.get(id), after.get(id)];
    if (old === undefined) return [{ field: `${field}.${id}`, change: 'added', to: current }];
    return valueChanges(`${field}.${id}`, '', old, current);
  });
  return [...items, ...orderChange(field, [...before.keys()], [...after.keys()])];
}

/** The items of both lists by what identifies them; undefined if nothing does. */
function itemsById(
  name: string,
  ...lists: (readonly unknown[])[]
): (ReadonlyMap<string, unknown> | undefined)[] {
  const byPosition = lists.map((list) => new Map(list.map((item, index) => [String(index), item])));
  if (COMPARED_BY_POSITION.has(name)) return byPosition;
  for (const identity of IDENTITIES) {
    const maps = lists.map((list) => {
      const ids = list.map((item) => (isObject(item) ? memberOf(item, identity) : undefined));
      const isUnique = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
      return isUnique ? new Map(list.map((item, index) => [String(ids[index]), item])) : undefined;
    });
    if (!maps.includes(undefined)) return maps;
  }
  return [];
}

/** New items are expected at the end; any other order is a change of its own. */
function orderChange(field: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  const kept = before.filter((id) => after.includes(id));
  const expected = [...kept, ...after.filter((id) => !before.includes(id))];
  return sameJson(expected, after) ? [] : [{ field, change: 'order', from: before, to: after }];
}
