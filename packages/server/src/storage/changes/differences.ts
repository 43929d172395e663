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

/** Fields that tell items of a list apart: those of rules, variations, prerequisites and phases. */
const IDENTITIES = ['id', 'key', 'flag', 'number'];

/** Items without an identity, like conditions, may be others at the same place, so they are not the same. */
function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((item, index) => {
    const other = after[index];
    if (!isObject(item) || !isObject(other)) return false;
    const name = IDENTITIES.find((each) => own(item, each) !== undefined);
    return name !== undefined && own(item, name) === own(other, name);
  });
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

export interface Merge {
  merged: unknown;
  /** JSON pointers of fields that both sides changed to different values. */
  conflicts: string[];
}

/** Applies the changes from `base` to `mine` on top of `theirs`. */
export function merge(base: unknown, mine: unknown, theirs: unknown): Merge {
  const own = differences(base, mine);
  const foreign = new Map(differences(base, theirs).map((change) => [change.pointer, change]));
  const parents = new Set([...foreign.keys()].flatMap(ancestors));
  const conflicts = own.filter(({ pointer, after }) => {
    const same = foreign.get(pointer);
    if (same !== undefined) return !sameJson(same.after, after);
    return parents.has(pointer) || ancestors(pointer).some((each) => foreign.has(each));
  });
  return {
    merged: conflicts.length > 0 ? theirs : applyDifferences(theirs, own),
    conflicts: conflicts.map(({ pointer }) => pointer),
  };
}

/** The pointers of everything around a field. */
function ancestors(pointer: string): string[] {
  const parts = pointer.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
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
