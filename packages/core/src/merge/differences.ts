import { formatPointer, parsePointer } from './json-pointer.ts';
import { isObject, memberOf, sameItems, sameJson } from './json-value.ts';

/** One changed field of a document; a missing `before` or `after` means that the field did not exist. */
export interface Difference {
  pointer: string;
  before?: unknown;
  after?: unknown;
}

/**
 * The differences between two JSON values. Lists are compared item by item if they have the same items in the same
 * order, and as a whole otherwise.
 */
export function differences(before: unknown, after: unknown, pointer = ''): Difference[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differences(memberOf(before, name), memberOf(after, name), pointer + formatPointer([name])),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && sameItems(before, after)) {
    return before.flatMap((item, index) => differences(item, after[index], `${pointer}/${index}`));
  }
  return [{ pointer, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** The document after differences of different fields; the given one is not modified. */
export function applyDifferences(document: unknown, changes: readonly Difference[]): unknown {
  return replaceFields(
    document,
    changes.map(({ pointer, after }) => ({ path: parsePointer(pointer), after })),
  );
}

interface Replacement {
  path: readonly string[];
  after: unknown;
}

/** All at once: a list with a thousand changed items is copied once, not a thousand times. */
function replaceFields(value: unknown, replacements: readonly Replacement[]): unknown {
  if (replacements.length === 0) return value;
  const whole = replacements.find(({ path }) => path.length === 0);
  if (whole !== undefined) return whole.after;
  const byName = new Map<string, Replacement[]>();
  for (const { path, after } of replacements) {
    const [name = '', ...rest] = path;
    const inner = byName.get(name) ?? [];
    byName.set(name, inner);
    inner.push({ path: rest, after });
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceFields(item, byName.get(String(index)) ?? []));
  }
  const members = new Map(Object.entries(isObject(value) ? value : {}));
  for (const [name, inner] of byName) members.set(name, replaceFields(members.get(name), inner));
  // Not assigned: a member called `__proto__` must stay a member.
  return Object.fromEntries([...members].filter(([, member]) => member !== undefined));
}
