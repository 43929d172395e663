import { formatPointer } from './json-pointer.ts';
import { isObject, memberOf, sameItems, sameJson } from './json-value.ts';

/**
 * Applies the changes from `base` to `mine` on top of `theirs`. Where both sides changed something to different values,
 * that of `mine` stays.
 */
export function mergeKeepingMine(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  onConflict?: (pointer: string, base: unknown, mine: unknown) => void,
  pointer = '',
): unknown {
  if (sameJson(base, mine) || sameJson(mine, theirs)) return theirs;
  const member = (name: string | number, ...[from, own, other]: readonly unknown[]) =>
    mergeKeepingMine(from, own, other, onConflict, pointer + formatPointer([name]));
  if (isObject(base) && isObject(mine) && isObject(theirs)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
    const members = [...names].map((name) => [
      name,
      member(name, memberOf(base, name), memberOf(mine, name), memberOf(theirs, name)),
    ]);
    // Not assigned: a member called `__proto__` must stay a member.
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) {
    if (sameItems(base, mine) && sameItems(base, theirs)) {
      return mine.map((item, index) => member(index, base[index], item, theirs[index]));
    }
  }
  if (!sameJson(base, theirs)) onConflict?.(pointer, base, mine);
  return mine;
}
