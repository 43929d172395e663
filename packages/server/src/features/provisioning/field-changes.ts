/** One field that a change sets; `from` is missing when it had no value. */
export interface FieldChange {
  /** Name, with dots where groups of fields are nested. */
  field: string;
  from?: unknown;
  to: unknown;
}

/** What differs, field by field; lists are compared as a whole. Fields that `after` does not have stay. */
export function fieldChanges(before: object | undefined, after: object, prefix = ''): FieldChange[] {
  return Object.entries(after).flatMap(([name, to]): FieldChange[] => {
    const field = prefix + name;
    const from = before !== undefined && Object.hasOwn(before, name) ? Reflect.get(before, name) : undefined;
    if (to === undefined || (to === null && from === undefined)) return [];
    if (isGroup(to)) return fieldChanges(isGroup(from) ? from : undefined, to, `${field}.`);
    if (sameJson(from, to)) return [];
    return [from === undefined ? { field, to } : { field, from, to }];
  });
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equality of JSON values; the order of fields means nothing, and a field without a value is none. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isGroup(left) || !isGroup(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => sameJson(own(left, name), own(right, name)));
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
