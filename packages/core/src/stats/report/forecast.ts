import { DEFAULT_ALPHA } from '../alpha.ts';
import type { MethodSettings } from '../analysis.ts';
import { normalUpperQuantile } from '../distributions/normal.ts';
import { fractionOf } from '../group-sequential/compare.ts';
import { futilityBoundary } from '../group-sequential/futility.ts';
import { monitoredCritical } from '../group-sequential/monitoring.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialCritical } from '../sequential.ts';
import { type Limits, type PathStart, simulateEnds } from './forecast-paths.ts';

/** An end that is further away is not in sight. */
const HORIZON_DAYS = 56;
/** A range is given up to this many days. */
const MAX_DAYS = 182;
/** Even for the largest plans. */
const LAST_DAY = 3650;
/** Share of the simulated ends in the range, so that at least 80 % of real ones are. */
const COVERED = 0.86;
/** The plan limits the range anyway, so it can cover more. */
const COVERED_WITH_PLAN = 0.92;
/** The decision is probably not earlier than this share of the simulated ends. */
const EARLIEST = 0.08;
/** Chance to find the difference that is called detectable. */
const DETECTABLE_POWER = 0.8;

interface ForecastInput extends MethodSettings, PathStart {
  readonly controlMean: number;
}

/** When a decision can be expected, in full days from now. */
export interface Forecast {
  readonly low: number;
  /** Null if it may take longer than half a year. */
  readonly high: number | null;
  /** Null if a decision is not in sight. */
  readonly median: number | null;
  /** False if a decision within `horizonDays` is unlikely. */
  readonly inSight: boolean;
  /** The smallest relative change that can be found within `horizonDays`. */
  readonly detectable: number | null;
  readonly horizonDays: number;
}

/** Null without traffic. */
export function forecastOf(input: ForecastInput): Forecast | null {
  const { traffic, visitors, plannedVisitors } = input;
  if (!(traffic.dailyVisitors > 0) || !(input.standardError > 0)) return null;
  const detectable = detectableChange(input);
  const plannedDays = plannedVisitors === null ? 0 : (plannedVisitors - visitors) / traffic.dailyVisitors;
  const days = daysUntil(Math.min(LAST_DAY, Math.max(MAX_DAYS, Math.ceil(2 * plannedDays))));
  const ends = simulateEnds(input, days, limitsOf(input, days));
  const covered = plannedVisitors === null ? COVERED : COVERED_WITH_PLAN;
  const inSight = plannedVisitors !== null || ends[Math.floor(2 * EARLIEST * ends.length)]! <= HORIZON_DAYS;
  const { low, high } = inSight ? shortestRange(ends, covered) : { low: HORIZON_DAYS + 1, high: Infinity };
  const median = ends[Math.floor(ends.length / 2)]!;
  const lastDay = days.at(-1)!;
  return {
    low: Math.min(low, lastDay),
    high: high <= lastDay ? high : null,
    median: inSight && median <= lastDay ? median : null,
    inSight,
    detectable,
    horizonDays: HORIZON_DAYS,
  };
}

/** Every day at first, then in growing steps. */
function daysUntil(last: number): number[] {
  const days: number[] = [];
  for (let day = 1; day <= last; day = Math.max(day + 1, Math.round(1.06 * day))) days.push(day);
  return days;
}

/** The shortest range that contains most of the ends, given in ascending order; infinite if they do not end. */
function shortestRange(ends: readonly number[], covered: number): { low: number; high: number } {
  const size = Math.ceil(covered * ends.length);
  let best = { low: ends[Math.floor(EARLIEST * ends.length)]!, high: Infinity };
  for (let first = 0; first + size <= ends.length; first++) {
    const [low, high] = [ends[first]!, ends[first + size - 1]!];
    if (high - low < best.high - best.low) best = { low, high };
  }
  return best;
}

/** How far the estimate must be from zero, or how close, for a decision; in standard errors, by day. */
function limitsOf(input: ForecastInput, days: readonly number[]): Limits {
  const { method, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, plannedVisitors } = input;
  const visitorsAt = (day: number) => input.visitors + day * input.traffic.dailyVisitors;
  const never = days.map(() => 0);
  if (method === 'sequential') {
    const criticals = days.map((day) => sequentialCritical(visitorsAt(day), alpha, sequentialN));
    return { criticals, futilities: never };
  }
  if (method === 'group-sequential' && input.looks && plannedVisitors !== null) {
    return groupSequentialLimits(input, days, (day) => visitorsAt(day) / plannedVisitors);
  }
  // The result of a fixed-horizon test is evaluated only at its planned end.
  const once = plannedVisitors === null ? normalUpperQuantile(alpha / 2) : Infinity;
  return { criticals: days.map(() => once), futilities: never };
}

function groupSequentialLimits(
  input: ForecastInput,
  days: readonly number[],
  fractionAt: (day: number) => number,
): Limits {
  const { alpha = DEFAULT_ALPHA, looks, standardError, smallestDifference } = input;
  const { spending } = looks!;
  const now = Math.sqrt(fractionOf(looks!));
  const drift = smallestDifference === null ? undefined : smallestDifference / (standardError * now);
  return {
    criticals: days.map((day) => monitoredCritical({ fraction: fractionAt(day), spending }, alpha)),
    futilities: days.map((day) => futilityBoundary(fractionAt(day), alpha, drift)),
  };
}

function detectableChange(input: ForecastInput): number | null {
  const { visitors, standardError, controlMean, traffic, plannedVisitors } = input;
  const reached = visitors + HORIZON_DAYS * traffic.dailyVisitors;
  const total = Math.min(reached, plannedVisitors ?? reached);
  const critical = criticalAfter(input, total);
  if (controlMean === 0 || critical === null) return null;
  const power = normalUpperQuantile(1 - DETECTABLE_POWER);
  return ((critical + power) * standardError * Math.sqrt(visitors / total)) / Math.abs(controlMean);
}

/** If the result is evaluated once, after this many visitors; null if it is not evaluated then. */
function criticalAfter(input: ForecastInput, total: number): number | null {
  const { method, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, plannedVisitors, looks } = input;
  if (method === 'sequential') return sequentialCritical(total, alpha, sequentialN);
  if (method === 'group-sequential' && looks && plannedVisitors !== null) {
    return monitoredCritical({ fraction: total / plannedVisitors, spending: looks.spending }, alpha);
  }
  return plannedVisitors === null || total >= plannedVisitors ? normalUpperQuantile(alpha / 2) : null;
}
