/** What a request says about whom it asks for; only own properties count, whatever JSON they hold. */
export type Context = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The own property, `undefined` when it is absent: `__proto__` or `toString` reach nothing inherited. */
export function readAttribute(context: Context, name: string): unknown {
  if (!Object.hasOwn(context, name)) return undefined;
  const value = context[name];
  return typeof value === 'string' ? value : asInJson(value);
}

/** Programs that evaluate in place hand over what no request can carry: it counts as JSON would write it. */
export function asInJson(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return isWritable(value) ? value.toJSON() : value;
    case 'boolean':
    case 'string':
      return value;
    default:
      return undefined;
  }
}

/** Dates, and ids and amounts of many database drivers. */
const isWritable = (value: object | null): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';

/** Canonical text: a string itself, a finite number as ECMAScript writes it, `true` or `false`; nothing else has one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** A finite number, or a string that is a decimal number throughout (`-1`, `2.50`, `1e3`; not ` 1`, `0x1` or an empty one). */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
