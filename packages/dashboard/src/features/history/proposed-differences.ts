import { formatPointer } from '@switchyard/core/merge/json-pointer';
import { isObject, memberOf, sameJson } from '@switchyard/core/merge/json-value';
import { COLLECTIONS, type Configuration, type ListedItem } from '../configuration/configuration-types.ts';
import type { Proposal } from './use-proposals.ts';

interface Difference {
  pointer: string;
  before: unknown;
  after: unknown;
}

/** What a proposal would change in a state of its item. The server merges and checks again when it is approved. */
export function proposedDifferences(
  state: object | undefined,
  { method, body }: Pick<Proposal, 'method'> & { body: object | null },
): Difference[] {
  const after = method === 'DELETE' ? undefined : (body ?? {});
  const before = method === 'DELETE' ? (state ?? {}) : state;
  return leaves(before, after, '').filter(({ pointer }) => !READ_ONLY.includes(pointer));
}

const READ_ONLY = ['/id', '/version', '/createdAt', '/phases', '/decisionRule'];

/** The item that a proposal is about, as it is now; undefined if it does not exist. */
export function proposedItem(
  configuration: Configuration,
  { collection, key }: Pick<Proposal, 'collection' | 'key'>,
): object | undefined {
  const found = Object.values(COLLECTIONS).find(({ path }) => path === collection);
  if (found === undefined) return undefined;
  const items: readonly ListedItem[] = configuration[found.field];
  return items.find((item) => item[found.key] === key);
}

/** Fields that are left out of the new state stay as they are; lists are compared as a whole. */
function leaves(before: unknown, after: unknown, pointer: string): Difference[] {
  const fields = isObject(after) ? after : after === undefined && isObject(before) ? before : undefined;
  if (fields !== undefined && (before === undefined || isObject(before))) {
    return Object.keys(fields).flatMap((name) =>
      leaves(
        before && memberOf(before, name),
        isObject(after) ? memberOf(after, name) : undefined,
        pointer + formatPointer([name]),
      ),
    );
  }
  return sameJson(before ?? null, after ?? null) ? [] : [{ pointer, before, after }];
}
