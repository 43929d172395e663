import type { AssignableTest } from '@switchyard/core/evaluation/assignment';
import type { AssignmentSplit } from '../../../store/assignment-queries.ts';
import type { SqlValues } from '../../connection/sql-values.ts';

/** Number of values of the hash. */
const HASHES = 2 ** 32;

/**
 * SQL that does what `groupOf` does: the position of the group of `visitor_id`, from 1, or 0 for visitors who are in none.
 * The engine's murmurHash3_32 is our hash, and hashes are compared as integers, so that nothing is rounded.
 */
export function assignedGroup(values: SqlValues, split: AssignmentSplit): string {
  if (split.kind === 'test') return assignedVariation(values, split.test);
  const { holdout, largest } = split;
  const hash = hashOf(values, `holdout:${holdout.seed}`);
  const [end, released] = [holdout.percentage, largest].map((limit) => values.integer(hashFrom(limit, 100)));
  return `multiIf(${hash} < ${end}, 1, ${hash} >= ${released}, 2, 0)`;
}

const hashOf = (values: SqlValues, seed: string) =>
  `murmurHash3_32(concat(${values.text(`${seed}:`)}, visitor_id))`;

function assignedVariation(
  values: SqlValues,
  { hashSeed, trafficAllocation, variations, exclusion }: AssignableTest,
): string {
  const hash = (seed: string) => hashOf(values, seed);
  const isInRange = (seed: string, from: number, to: number) => {
    const [first, end] = [hashFrom(from, 100), hashFrom(to, 100)].map((value) => values.integer(value));
    return `${hash(seed)} >= ${first} AND ${hash(seed)} < ${end}`;
  };
  const conditions = [
    ...(exclusion ? [isInRange(`exclusion:${exclusion.seed}`, exclusion.from, exclusion.to)] : []),
    isInRange(`${hashSeed}:traffic`, 0, trafficAllocation),
  ];
  const ends = values.integers(variationEnds(variations));
  const position = `arrayFirstIndex(end -> ${hash(`${hashSeed}:variation`)} < end, ${ends})`;
  return `if(${conditions.join(' AND ')}, ${position}, 0)`;
}

/** For each variation, the hash after its last one; a variation without weight ends where the one before it ends. */
function variationEnds(variations: AssignableTest['variations']): number[] {
  const weights = variations.map(({ weight }) => (weight > 0 ? weight : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const last = weights.findLastIndex((weight) => weight > 0);
  let cumulative = 0;
  return weights.map((weight, index) => {
    cumulative += weight;
    // As in `assign`, whatever rounding errors put past the end belongs to the last variation with a weight.
    return last >= 0 && index >= last ? HASHES : hashFrom(cumulative, total);
  });
}

/** The first hash whose point on a scale is at or above the limit, in the floating-point arithmetic of `assign`. */
function hashFrom(limit: number, scale: number): number {
  let [low, high] = [0, HASHES];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((middle / HASHES) * scale >= limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
