/** The attributes of an evaluation request: any JSON values. Only own properties count. */
export type Context = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The length of an attribute decides what a condition costs: these keep the worst pattern below a tenth of a second. */
const MAX_TEXT_LENGTH = 2048;
const MAX_LIST_LENGTH = 500;
const MAX_LIST_TEXT_LENGTH = 4096;

/**
 * Reads an own property, so that names such as `__proto__` or `toString` never reach inherited ones.
 * A value that is too long is treated as missing, so that a large context cannot make evaluations slow.
 */
export function readAttribute(context: Context, name: string): unknown {
  if (!Object.hasOwn(context, name)) return undefined;
  const value = asInJson(context[name]);
  return isTooLong(value) ? undefined : value;
}

function isTooLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_TEXT_LENGTH;
  if (!Array.isArray(value)) return false;
  if (value.length > MAX_LIST_LENGTH) return true;
  let length = 0;
  for (const element of value) if (typeof element === 'string') length += element.length;
  return length > MAX_LIST_TEXT_LENGTH;
}

/** In local evaluation, contexts may have values that JSON lacks: they count as `JSON.stringify` would write them. */
export function asInJson(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return hasToJson(value) ? value.toJSON() : value;
    case 'boolean':
    case 'string':
      return value;
    default:
      return undefined;
  }
}

/** Dates, and the id and decimal types of many database drivers. */
const hasToJson = (value: object | null): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';

/** Canonical text of a string, a finite number (as in ECMAScript) or a boolean; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** A finite number, or a string that is entirely a decimal number (`-1`, `2.50`, `1e3`, but not ` 1`, `0x1` or an empty string). */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
