import { smallHashFraction } from './small-hash.ts';

/** The part of a split test that assignment needs. */
export interface AssignableTest {
  readonly hashSeed: string;
  /** Percentage of visitors who take part, 0 to 100. */
  readonly trafficAllocation: number;
  /** Weights are relative: they can have any sum. */
  readonly variations: readonly {
    readonly key: string;
    readonly weight: number;
    /** It keeps its place, so that nobody else moves; its visitors are not included. */
    readonly retired?: boolean | undefined;
  }[];
  /** Only visitors who hash into this range of 0 to 100 take part. Tests of a group share a seed and have disjoint ranges. */
  readonly exclusion?: { readonly seed: string; readonly from: number; readonly to: number } | undefined;
  /** `user`: users who are known get the same variation on all their devices. Default: `visitor`. */
  readonly unit?: 'visitor' | 'user' | undefined;
}

/** The percentage of visitors who are excluded from all tests of a property. */
export interface Holdout {
  readonly seed: string;
  readonly percentage: number;
}

export interface Assignment {
  /** If false, show the control and send no exposure. */
  readonly included: boolean;
  /** Index of the variation to show; 0 (the control) for visitors who are not included. */
  readonly index: number;
}

/**
 * The variation of a visitor. Deterministic: it only changes with the seeds, weights and ranges. The user id is for tests
 * with the unit `user`; even then the visitor decides about the holdout and the exclusion group, which all tests share.
 *
 * @example assign({ hashSeed: 's1', trafficAllocation: 100, variations }, 'visitor-1') // { included: true, index: 1 }
 */
export function assign(
  test: AssignableTest,
  visitorId: string,
  holdout?: Holdout,
  userId?: string | null,
): Assignment {
  const { hashSeed, trafficAllocation, exclusion } = test;
  let id = visitorId;
  const isInRange = (seed: string, from: number, to: number) => {
    const point = smallHashFraction(`${seed}:${id}`) * 100;
    return point >= from && point < to;
  };
  // Independent hashes, so that raising the traffic, for example, moves nobody between variations.
  const isEligible =
    !(holdout && isInRange(`holdout:${holdout.seed}`, 0, holdout.percentage)) &&
    (!exclusion || isInRange(`exclusion:${exclusion.seed}`, exclusion.from, exclusion.to));
  if (test.unit === 'user' && userId) id = userId;
  const included = isEligible && isInRange(`${hashSeed}:traffic`, 0, trafficAllocation);
  const index = included ? pickVariation(test, id) : -1;
  return { included: index >= 0, index: Math.max(index, 0) };
}

/** Whether the visitor is excluded from all tests; the same draw as in `assign`, which browsers get in fewer bytes. */
export const isInHoldout = ({ seed, percentage }: Holdout, visitorId: string): boolean =>
  smallHashFraction(`holdout:${seed}:${visitorId}`) * 100 < percentage;

/** Index of the variation; -1 if no variation has a weight, or if that of the visitor is retired. */
function pickVariation({ hashSeed, variations }: AssignableTest, unitId: string): number {
  let total = 0;
  for (const { weight } of variations) total += weight;
  const point = smallHashFraction(`${hashSeed}:variation:${unitId}`) * total;
  let cumulative = 0;
  let last = -1;
  for (const [index, { weight }] of variations.entries()) {
    if (!(weight > 0)) continue;
    cumulative += weight;
    last = index;
    if (point < cumulative) break;
  }
  // Rounding errors may put the point past the end: then it is the last variation with a weight.
  return variations[last]?.retired ? -1 : last;
}
