type JsonObject = Readonly<Record<string, unknown>>;

/** Equality of JSON values. The order of fields is ignored, and an undefined field equals a missing one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => sameJson(memberOf(left, name), memberOf(right, name)));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberOf(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Fields that tell items of a list apart: those of rules, variations, prerequisites and phases. */
const IDENTITIES = ['id', 'key', 'flag', 'number'];

/** Items without an identity, like conditions, may be others at the same place, so they are not the same. */
export function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((item, index) => {
    const other = after[index];
    if (!isObject(item) || !isObject(other)) return false;
    const name = IDENTITIES.find((each) => memberOf(item, each) !== undefined);
    return name !== undefined && memberOf(item, name) === memberOf(other, name);
  });
}
