import type { Rollout, SplitEntry } from '../api/targeting.ts';
import type { Context } from './attribute-values.ts';
import { hashFractionAfter } from './hash.ts';
import type { AttributeReaders } from './once-per-pass.ts';

/** Draws a fraction for a unit. Splits and rollouts of the same rule use the same draw. */
export const drawFor = (flagKey: string, ruleId: string, { salt = ruleId }: { salt?: string | undefined }) =>
  hashFractionAfter(`${flagKey}:${salt}:`);

interface Range {
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * The part of 0 to 100 that has each value. Every entry has a range as wide as its share, in order, of which a rollout
 * includes the first part: raising the percentage moves nobody between values, and neither does raising the weight of an
 * entry at the expense of the next one, except for those who get it now.
 *
 * @example rangesOf([{ value: 'a', weight: 1 }, { value: 'b', weight: 1 }], 10) // [{ from: 0, to: 5 }, { from: 50, to: 55 }]
 */
export function rangesOf(split: readonly SplitEntry[], percentage: number): Range[] {
  const total = split.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  return split.map(({ weight }) => {
    const from = total === 0 ? 0 : (passed / total) * 100;
    passed += weight;
    const end = total === 0 ? 0 : (passed / total) * 100;
    return { from, to: percentage >= 100 ? end : from + ((end - from) * percentage) / 100 };
  });
}

/** The name of an entry: its key, or its position. */
export const variantOf = (split: readonly SplitEntry[], index: number): string =>
  split[index]?.key ?? String(index);

interface SplitInput {
  flagKey: string;
  ruleId: string;
  rollout: Rollout | undefined;
  split: readonly SplitEntry[];
  attributes: AttributeReaders;
}

/**
 * The entry of a context; -1 if the rollout does not include it. Without an id there is an entry only if nothing has to be
 * drawn: everybody gets the same.
 */
export function compileSplit({
  flagKey,
  ruleId,
  rollout = { percentage: 100 },
  split,
  attributes,
}: SplitInput): (context: Context) => number {
  const ranges = rangesOf(split, rollout.percentage);
  const whole = ranges.findIndex(({ from, to }) => from === 0 && to === 100);
  if (whole >= 0) return () => whole;
  const readUnit = attributes.unit(rollout.by);
  const draw = drawFor(flagKey, ruleId, rollout);
  return (context) => {
    const unit = readUnit(context);
    if (unit === undefined) return -1;
    const point = draw(unit) * 100;
    for (let index = 0; index < ranges.length; index++) {
      const { from, to } = ranges[index]!;
      if (point >= from && point < to) return index;
    }
    return -1;
  };
}
