import type { FlagValue, Rule, SplitEntry } from '@switchyard/core/api/targeting';
import { equalWeight, weightsWithOneMore } from '../../../../ui/fields/weight-shares.ts';
import type { FlagKind } from '../../values/flag-kinds.ts';

export const MIN_ENTRIES = 2;
export const MAX_ENTRIES = 20;

/** The percentage of each entry, rounded as in the sentence of the rule. */
export function splitShares(split: readonly Pick<SplitEntry, 'weight'>[]): number[] {
  const total = split.reduce((sum, { weight }) => sum + weight, 0);
  return split.map(({ weight }) => (total === 0 ? 0 : Math.round((weight / total) * 1000) / 10));
}

/** The value for one half; for the other one, what comes closest to another value. */
export function startSplit(kind: FlagKind, value: FlagValue): SplitEntry[] {
  return [
    { value, weight: 50 },
    { value: anotherValue(kind, value), weight: 50 },
  ];
}

/** An empty text would be wrong for numbers and JSON: there, the same value is a start. */
function anotherValue(kind: FlagKind, value: FlagValue): FlagValue {
  if (kind === 'boolean') return value !== true;
  return kind === 'text' ? '' : value;
}

/** A split instead of the value of a rule; its conditions and its rollout stay. */
export function withSplit({ value, ...rule }: Rule, kind: FlagKind, fallback: FlagValue): Rule {
  return { ...rule, split: startSplit(kind, value ?? fallback) };
}

/** The first value of the split for all that the rule is for. */
export function withOneValue({ split, ...rule }: Rule, fallback: FlagValue): Rule {
  return { ...rule, value: split?.[0]?.value ?? fallback };
}

/** The new entry has an equal share; the relation of the others stays. */
export function withOneMore(split: readonly SplitEntry[], kind: FlagKind): SplitEntry[] {
  const last = split.at(-1)!;
  const added = { value: kind === 'boolean' ? last.value : anotherValue(kind, last.value), weight: 1 };
  const weights = weightsWithOneMore(split.map(({ weight }) => weight));
  return [...split, added].map((entry, index) => ({ ...entry, weight: weights[index]! }));
}

export const withEqualWeights = (split: readonly SplitEntry[]): SplitEntry[] =>
  split.map((entry) => ({ ...entry, weight: equalWeight(split.length) }));

/** Without a key, an entry is named by its position. */
export function withKey({ key: _, ...entry }: SplitEntry, key: string): SplitEntry {
  return key === '' ? entry : { key, ...entry };
}
