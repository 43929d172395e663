import { expect } from 'vitest';

/** An object may have more members than shown, and a text that ends with … may be longer. */
export function asShown(shown: unknown): unknown {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    const start = shown.slice(0, -1).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return expect.stringMatching(new RegExp(`^${start}.`));
  }
  if (Array.isArray(shown)) return shown.map(asShown);
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.entries(shown).map(([name, value]) => [name, asShown(value)]);
  return expect.objectContaining(Object.fromEntries(members));
}

/** Members of an example that the real response does not have, as JSON pointers. */
export function unknownMembers(example: unknown, real: unknown, pointer = ''): string[] {
  if (Array.isArray(example) && Array.isArray(real)) {
    return real.length === 0 ? [] : example.flatMap((item) => unknownMembers(item, real[0], `${pointer}/0`));
  }
  if (!isObject(example) || !isObject(real)) return [];
  return Object.entries(example).flatMap(([name, value]) => {
    if (name === '…') return [];
    return name in real ? unknownMembers(value, real[name], `${pointer}/${name}`) : [`${pointer}/${name}`];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
