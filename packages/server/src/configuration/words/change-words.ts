import { isObject, memberOf, sameJson } from '@switchyard/core/merge/json-value';
import type { FieldOf, ItemOf, ItemType } from '../property/property-configuration.ts';
import { isMissing, labelOf, listWords, valueWords } from './value-words.ts';

/** Names of items that others refer to; a property has them all. */
export type Names = {
  readonly [T in ItemType as ItemOf<T> extends Named ? FieldOf<T> : never]?: readonly Named[];
};

interface Named {
  id: string;
  name?: string;
}

export const nameIn = (list: readonly Named[] = [], id: string): string =>
  list.find((item) => item.id === id)?.name || id;

interface ValueChange {
  from: unknown;
  to: unknown;
  /** The whole item is new, so what is missing is not worth a line. */
  isNew: boolean;
  names: Names;
}

/** The lines about a changed value. */
export type ChangeWords = (change: ValueChange) => string[];

/** The lines about changed fields, by their name; `null` hides one. */
export type Words = Readonly<Record<string, ChangeWords | null>>;

/** `Owner: none → anna@shop.example` */
export function field(
  label: string,
  words: (value: unknown, names: Names) => string = valueWords,
): ChangeWords {
  return ({ from, to, isNew, names }) => {
    if (!isNew) return [`${label}: ${words(from, names)} → ${words(to, names)}`];
    return isMissing(to) || (Array.isArray(to) && to.length === 0) ? [] : [`${label}: ${words(to, names)}`];
  };
}

/** A switch that is off unless somebody turns it on. */
export function toggle(on: string, off: string): ChangeWords {
  return ({ to, isNew }) => (to === true ? [on] : isNew ? [] : [off]);
}

/** `Tags added: checkout, mobile` */
export function texts(label: string): ChangeWords {
  const whole = field(label);
  return (change) => {
    const { from, to, isNew } = change;
    if (isNew || !Array.isArray(from) || !Array.isArray(to)) return whole(change);
    const added = to.filter((text) => !from.includes(text));
    const removed = from.filter((text) => !to.includes(text));
    if (added.length + removed.length === 0) return whole(change);
    return [
      ...(added.length > 0 ? [`${label} added: ${listWords(added)}`] : []),
      ...(removed.length > 0 ? [`${label} removed: ${listWords(removed)}`] : []),
    ];
  };
}

/** The changed members of an object; `null` hides one, and unknown ones get a line of their own. */
export function members(
  known: Words,
  unknown: (name: string) => ChangeWords = (name) => field(labelOf(name)),
): ChangeWords {
  return ({ from, to, isNew, names }) => {
    const [before, after] = [objectOf(from), objectOf(to)];
    // Known ones come in their own order.
    const present = new Set([...Object.keys(before), ...Object.keys(after)]);
    const order = [...Object.keys(known).filter((name) => present.delete(name)), ...present];
    return order.flatMap((name) => {
      const change = { from: memberOf(before, name), to: memberOf(after, name), isNew, names };
      const words = memberOf(known, name) === undefined ? unknown(name) : known[name];
      return words ? changedLines(words, change) : [];
    });
  };
}

/** One line if the object comes or goes as a whole; otherwise its members. */
export function optional(whole: ChangeWords, parts: ChangeWords): ChangeWords {
  return (change) => (isMissing(change.from) || isMissing(change.to) ? whole(change) : parts(change));
}

const changedLines = (words: ChangeWords, change: ValueChange): string[] =>
  sameJson(change.from ?? null, change.to ?? null) ? [] : words(change);

export const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
