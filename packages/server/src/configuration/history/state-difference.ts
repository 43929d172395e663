import { differences } from '@switchyard/core/merge/differences';
import type { HistoryState, SerializedState } from './history-state.ts';

const MAX_POINTERS = 5;

/** How a state differs from the expected one, without values; undefined if it does not. */
export function stateDifference(expected: HistoryState, actual: HistoryState): string | undefined {
  const [left, right] = [expected.serialize(), actual.serialize()];
  const exists = [expected, actual].map(({ property }) => property !== undefined);
  if (exists[0] !== exists[1]) {
    return exists[0] ? 'does not have the property' : 'has the property, although it was deleted';
  }
  if (!exists[0]) return undefined;
  return (
    fieldDifference('the property', left.property, right.property) ??
    itemDifference(left.items, right.items) ??
    (left.version === right.version
      ? undefined
      : `has version ${right.version} of the property, not ${left.version}`)
  );
}

function itemDifference(
  expected: SerializedState['items'],
  actual: SerializedState['items'],
): string | undefined {
  const nameOf = ([type, key]: SerializedState['items'][number]) => `the ${type.replace('-', ' ')} "${key}"`;
  const found = new Map(actual.map((item) => [nameOf(item), item[2]]));
  for (const item of expected) {
    const name = nameOf(item);
    const other = found.get(name);
    if (other === undefined) return `does not have ${name}`;
    const difference = fieldDifference(name, item[2].document, other.document);
    if (difference !== undefined) return difference;
    if (item[2].version !== other.version) {
      return `has version ${other.version} of ${name}, not ${item[2].version}`;
    }
    found.delete(name);
  }
  const [unknown] = found.keys();
  if (unknown !== undefined) return `has ${unknown}, which nobody created`;
  const moved = expected.findIndex((item, index) => nameOf(item) !== nameOf(actual[index]!));
  return moved < 0 ? undefined : `has ${nameOf(expected[moved]!)} in another place of its list`;
}

function fieldDifference(name: string, expected: object, actual: object): string | undefined {
  const pointers = differences(expected, actual).map(({ pointer }) => pointer);
  if (pointers.length === 0) return undefined;
  const more = pointers.length > MAX_POINTERS ? ` and ${pointers.length - MAX_POINTERS} more` : '';
  return `has other values in ${name}: ${pointers.slice(0, MAX_POINTERS).join(', ')}${more}`;
}
