import type { FlagFormat, FlagValue } from '../api/targeting.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/**
 * What the text of a flag with a format stands for; undefined if it is not of that format. Frozen, because evaluations
 * share it.
 *
 * @example parseFlagValue('{"price":5}', 'json') // { price: 5 }
 */
export function parseFlagValue(value: FlagValue, format: FlagFormat): JsonValue | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = parseJson(value);
  if (format === 'number' && !Number.isFinite(parsed)) return undefined;
  return parsed;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text, (_name, value) => Object.freeze(value));
  } catch {
    return undefined;
  }
}
