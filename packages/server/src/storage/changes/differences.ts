import { formatPointer, parsePointer } from './json-pointer.ts';

/** One changed field of a document; a missing `before` or `after` means that the field did not exist. */
export interface Difference {
  pointer: string;
  before?: unknown;
  after?: unknown;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The differences between two JSON values. Lists are compared item by item if they have the same items in the same
 * order, and as a whole otherwise.
 */
export function differences(before: unknown, after: unknown, pointer = ''): Difference[] {
  if (sameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differences(own(before, name), own(after, name), pointer + formatPointer([name])),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && sameItems(before, after)) {
    return before.flatMap((item, index) => differences(item, after[index], `${pointer}/${index}`));
  }
  return [
    {
      pointer,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

/** Objects that are told apart by their id or key, like rules and variations. */
function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((item, index) => {
    const other = after[index];
    return isObject(item) && isObject(other) && item.id === other.id && item.key === other.key;
  });
}

/** The document after the differences; the given one is not modified. */
export function applyDifferences(document: unknown, changes: readonly Difference[]): unknown {
  return changes.reduce((current: unknown, change) => {
    return replaceAt(current, parsePointer(change.pointer), change.after);
  }, document);
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], after: unknown): unknown {
  if (name === undefined) return after;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === Number(name) ? replaceAt(item, rest, after) : item));
  }
  const members = isObject(value) ? value : {};
  const member = replaceAt(own(members, name), rest, after);
  const others = Object.entries(members).filter(([other]) => other !== name);
  // Not assigned: a member called `__proto__` must stay a member.
  if (member === undefined) return Object.fromEntries(others);
  if (!Object.hasOwn(members, name)) return Object.fromEntries([...others, [name, member]]);
  return Object.fromEntries(
    Object.entries(members).map(([each, old]) => [each, each === name ? member : old]),
  );
}

export interface Merge {
  merged: unknown;
  /** JSON pointers of fields that both sides changed to different values. */
  conflicts: string[];
}

/** Applies the changes from `base` to `mine` on top of `theirs`. */
export function merge(base: unknown, mine: unknown, theirs: unknown): Merge {
  const own = differences(base, mine);
  const foreign = differences(base, theirs);
  const conflicts = own.filter((change) =>
    foreign.some((other) => overlap(change.pointer, other.pointer) && !sameChange(change, other)),
  );
  return {
    merged: conflicts.length > 0 ? theirs : applyDifferences(theirs, own),
    conflicts: conflicts.map(({ pointer }) => pointer),
  };
}

function overlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

function sameChange(left: Difference, right: Difference): boolean {
  return left.pointer === right.pointer && sameJson(left.after, right.after);
}

/** A JSON merge patch (RFC 7396). */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(document) ? document : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applyMergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** Equality of JSON values. The order of fields is ignored, and an undefined field equals a missing one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => sameJson(own(left, name), own(right, name)));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
