/** A changed field; `from` is missing if it had no value. */
export interface FieldChange {
  /** Name; nested fields are joined with dots. */
  field: string;
  from?: unknown;
  to: unknown;
}

/** The differences, field by field; lists are compared as a whole. Fields missing from `after` are unchanged. */
export function fieldChanges(before: object | undefined, after: object, prefix = ''): FieldChange[] {
  return Object.entries(after).flatMap(([name, to]): FieldChange[] => {
    const field = prefix + name;
    const from = before !== undefined && Object.hasOwn(before, name) ? Reflect.get(before, name) : undefined;
    if (to === undefined || (to === null && from === undefined)) return [];
    if (isObject(to)) return fieldChanges(isObject(from) ? from : undefined, to, `${field}.`);
    if (sameJson(from, to)) return [];
    return [from === undefined ? { field, to } : { field, from, to }];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
