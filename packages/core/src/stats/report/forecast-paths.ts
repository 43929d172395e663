const PATHS = 400;
/** Fixed, so that the same numbers always give the same forecast. */
const SEED = 20261115;
/** One number for the traffic, then one per simulated day. */
const MAX_DAYS = 128;

/** New visitors per day, and the standard deviation of its logarithm. */
export interface Traffic {
  readonly dailyVisitors: number;
  readonly uncertainty: number;
}

/** Where a test stands now. */
export interface PathStart {
  readonly difference: number;
  readonly standardError: number;
  /** Of the variation and the control. */
  readonly visitors: number;
  readonly traffic: Traffic;
  /** Planned number of `visitors`, if the test ends there. */
  readonly plannedVisitors: number | null;
  /** Smallest relevant difference, in the unit of the metric. */
  readonly smallestDifference: number | null;
}

/** A path ends beyond the critical value or below the futility boundary of its day, in standard errors. */
export interface Limits {
  readonly criticals: readonly number[];
  readonly futilities: readonly number[];
}

/**
 * Simulates how a test may go on: the true effect is as uncertain as the estimate, and so is the traffic. Returns the
 * days until a decision of each path, ascending; infinite for those without one on the given days.
 */
export function simulateEnds(start: PathStart, days: readonly number[], limits: Limits): number[] {
  const ends: number[] = [];
  for (const normals of randomPaths()) ends.push(simulateEnd(start, days, limits, normals));
  return ends.sort((a, b) => a - b);
}

function simulateEnd(
  { difference, standardError, visitors, traffic, plannedVisitors, smallestDifference }: PathStart,
  days: readonly number[],
  { criticals, futilities }: Limits,
  normals: Float64Array,
): number {
  const daily = traffic.dailyVisitors * Math.exp(traffic.uncertainty * normals[0]!);
  let [estimate, variance] = [difference, standardError ** 2];
  for (let i = 0; i < days.length; i++) {
    const total = visitors + daily * days[i]!;
    const next = standardError ** 2 * (visitors / total);
    // The estimate moves like this if all effects were equally likely before the test.
    estimate += Math.sqrt(variance - next) * normals[i + 1]!;
    variance = next;
    if (plannedVisitors !== null && total >= plannedVisitors) return days[i]!;
    const [size, error] = [Math.abs(estimate), Math.sqrt(variance)];
    if (size > criticals[i]! * error || size < futilities[i]! * error) return days[i]!;
    if (smallestDifference !== null && size + criticals[i]! * error < smallestDifference) return days[i]!;
  }
  return Infinity;
}

let paths: readonly Float64Array[] | undefined;

function randomPaths(): readonly Float64Array[] {
  if (paths === undefined) {
    const normal = normalGenerator(SEED);
    paths = Array.from({ length: PATHS }, () => new Float64Array(MAX_DAYS).map(normal));
  }
  return paths;
}

/** Mulberry32 and the Box-Muller transform. */
function normalGenerator(seed: number): () => number {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
