import { smallHashFraction } from './small-hash.ts';

/** What assignment needs to know of a split test. */
export interface AssignableTest {
  readonly hashSeed: string;
  /** Percentage of visitors that take part, 0 to 100. */
  readonly trafficAllocation: number;
  /** Weights are relative: they need not add up to anything. */
  readonly variations: readonly { readonly key: string; readonly weight: number }[];
  /** Only visitors in this part of 0 to 100 take part: tests of one group have the same seed and disjoint parts. */
  readonly exclusion?: { readonly seed: string; readonly from: number; readonly to: number } | undefined;
}

/** Visitors who are kept out of all tests of a property, in percent. */
export interface Holdout {
  readonly seed: string;
  readonly percentage: number;
}

export interface Assignment {
  /** False: show the control and send no exposure. */
  readonly included: boolean;
  /** Index of the variation to show; 0, the control, for a visitor who is not included. */
  readonly index: number;
}

/**
 * The variation of a visitor; the same on every machine, for as long as seeds, weights and slot stay.
 *
 * @example assign({ hashSeed: 's1', trafficAllocation: 100, variations }, 'visitor-1') // { included: true, index: 1 }
 */
export function assign(test: AssignableTest, visitorId: string, holdout?: Holdout): Assignment {
  const { hashSeed, trafficAllocation, exclusion } = test;
  const falls = (seed: string, from: number, to: number) => {
    const point = smallHashFraction(`${seed}:${visitorId}`) * 100;
    return point >= from && point < to;
  };
  // A draw for each question, so that raising the traffic, say, moves nobody between variations.
  const included =
    !(holdout && falls(`holdout:${holdout.seed}`, 0, holdout.percentage)) &&
    (!exclusion || falls(`exclusion:${exclusion.seed}`, exclusion.from, exclusion.to)) &&
    falls(`${hashSeed}:traffic`, 0, trafficAllocation);
  const index = included ? draw(test, visitorId) : -1;
  return { included: index >= 0, index: Math.max(index, 0) };
}

/** Index of the variation that the visitor's point falls into, -1 when no variation has a weight. */
function draw({ hashSeed, variations }: AssignableTest, visitorId: string): number {
  let total = 0;
  for (const { weight } of variations) if (weight > 0) total += weight;
  const point = smallHashFraction(`${hashSeed}:variation:${visitorId}`) * total;
  let reached = 0;
  let last = -1;
  for (const [index, { weight }] of variations.entries()) {
    if (!(weight > 0)) continue;
    reached += weight;
    last = index;
    if (point < reached) break;
  }
  // Rounding may leave the point past the end: the last variation with a weight takes the rest.
  return last;
}
