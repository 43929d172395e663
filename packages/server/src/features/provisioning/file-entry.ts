import { isObject } from '@switchyard/core/merge/json-value';
import { documentOf, type Item, type ItemType } from '../../storage/changes/entities.ts';
import type { Flag, SplitTest } from '../../storage/property-configuration.ts';
import { isoSchedules, isoTimes } from './iso-time.ts';

/** An item as in a file, including fields without a value. Omits what cannot be provisioned. */
export function fileEntry(type: ItemType, item: Item): Record<string, unknown> {
  const document: Record<string, unknown> = { ...documentOf(type, item) };
  switch (type) {
    case 'split-test':
      return without({ ...document, ...isoTimes(item as SplitTest) }, 'id', 'createdAt', 'phases');
    case 'flag':
      return without({ ...document, environments: isoSchedules(item as Flag) }, 'id', 'createdAt');
    case 'key':
      return keyEntry(document);
    case 'webhook':
      return without(document, 'createdAt');
    default:
      return document;
  }
}

/** Only a preview of the key, so that a plan can be shown to anybody. */
function keyEntry({ kind, name, prefix, lastFour }: Record<string, unknown>): Record<string, unknown> {
  return { kind, name, key: `${prefix}…${lastFour}` };
}

function without(entry: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/** Omits fields without a value. */
export function withoutNulls<T>(entry: Record<string, unknown>): T {
  const { exclusion } = entry;
  const given = Object.entries(entry).filter(([, value]) => value !== null);
  // The end of a slot follows from its start and share.
  return {
    ...Object.fromEntries(given),
    ...(isObject(exclusion) && { exclusion: without(exclusion, 'to') }),
  } as T;
}
