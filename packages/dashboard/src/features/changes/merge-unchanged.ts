/**
 * A draft on a newer document: keeps what the draft changed since `base`, and takes everything else from `current`.
 * Lists are merged item by item if all three have the same items in the same order.
 */
export function mergeUnchanged(base: unknown, current: unknown, draft: unknown): unknown {
  if (JSON.stringify(base) === JSON.stringify(draft)) return current;
  if (isObject(base) && isObject(current) && isObject(draft)) {
    const names = new Set([...Object.keys(current), ...Object.keys(draft)]);
    const members = [...names].map((name) => [name, mergeUnchanged(base[name], current[name], draft[name])]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (Array.isArray(base) && Array.isArray(current) && Array.isArray(draft)) {
    if (!hasSameItems(base, current) || !hasSameItems(base, draft)) return draft;
    return draft.map((item, index) => mergeUnchanged(base[index], current[index], item));
  }
  return draft;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that tell items of a list apart. */
const IDENTITIES = ['id', 'key', 'flag', 'number'];

function hasSameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((item, index) => {
    const other = b[index];
    if (!isObject(item) || !isObject(other)) return false;
    const name = IDENTITIES.find((each) => item[each] !== undefined);
    return name !== undefined && item[name] === other[name];
  });
}
