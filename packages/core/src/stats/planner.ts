import { DEFAULT_ALPHA } from './alpha.ts';
import type { MethodSettings } from './analysis.ts';
import { findRoot } from './distributions/find-root.ts';
import { normalUpperQuantile } from './distributions/normal.ts';
import { MonitoredProcess } from './group-sequential/monitored-process.ts';
import { monitoredCritical } from './group-sequential/monitoring.ts';
import { DEFAULT_SPENDING, type Spending } from './group-sequential/spending.ts';
import type { Adjustment } from './multiple-testing.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialCritical } from './sequential.ts';

export const DEFAULT_POWER = 0.8;
/** A group-sequential test is planned for this many looks: one a day for four weeks. */
const PLANNED_LOOKS = 28;

/** The metric before the test. */
export type Baseline =
  | { readonly metric: 'proportion'; readonly rate: number }
  | { readonly metric: 'mean' | 'ratio'; readonly mean: number; readonly variance: number };

/** The smallest change to detect, relative to the baseline or in its unit. */
export interface SmallestEffect {
  readonly kind: 'relative' | 'absolute';
  readonly value: number;
}

export interface PlanInput extends MethodSettings {
  readonly baseline: Baseline;
  readonly smallestEffect: SmallestEffect;
  /** For the group-sequential method. */
  readonly spending?: Spending | undefined;
  /** Probability of detecting an effect of this size. */
  readonly power?: number | undefined;
  /** Including the control; all have the same weight. */
  readonly variations?: number | undefined;
  /** For several variations, of which one has the effect; default: `holm`. */
  readonly correction?: Adjustment | undefined;
  /** Visitors per day who enter the test. */
  readonly dailyVisitors?: number | undefined;
}

export interface Plan {
  readonly visitorsPerVariation: number;
  readonly visitors: number;
  /** Null if the daily visitors are unknown. */
  readonly days: number | null;
}

/**
 * The number of visitors and days needed to detect the smallest effect with the given power. Null if there is none: no
 * effect, a baseline without variance, or a rate outside 0 to 1.
 *
 * @example
 * planTest({ method: 'frequentist', baseline: { metric: 'proportion', rate: 0.1 },
 *   smallestEffect: { kind: 'relative', value: 0.1 }, dailyVisitors: 1000 }) // 14,751 each, 30 days
 */
export function planTest(input: PlanInput): Plan | null {
  const { variations = 2, dailyVisitors } = input;
  const spread = spreadOf(input);
  if (spread === null) return null;
  const visitorsPerVariation = Math.ceil(sizing(input)(spread));
  if (!Number.isFinite(visitorsPerVariation)) return null;
  const visitors = visitorsPerVariation * variations;
  const days = dailyVisitors === undefined || dailyVisitors <= 0 ? null : Math.ceil(visitors / dailyVisitors);
  return { visitorsPerVariation, visitors, days };
}

interface Spread {
  readonly effect: number;
  /** Standard deviation of the difference of two visitors, one from each arm, without and with the effect. */
  readonly withoutEffect: number;
  readonly withEffect: number;
}

function spreadOf({ method, baseline, smallestEffect: { kind, value } }: PlanInput): Spread | null {
  const mean = baseline.metric === 'proportion' ? baseline.rate : baseline.mean;
  const effect = Math.abs(kind === 'absolute' ? value : value * mean);
  if (!(effect > 0)) return null;
  if (baseline.metric !== 'proportion') {
    const spread = Math.sqrt(2 * baseline.variance);
    return spread > 0 ? { effect, withoutEffect: spread, withEffect: spread } : null;
  }
  const changed = baseline.rate + (kind === 'absolute' ? value : value * mean);
  if (!(mean > 0 && mean < 1 && changed > 0 && changed < 1)) return null;
  const pooled = (mean + changed) / 2;
  const withEffect = Math.sqrt(mean * (1 - mean) + changed * (1 - changed));
  // The score test pools the arms if there is no effect.
  const withoutEffect = method === 'bayesian' ? withEffect : Math.sqrt(2 * pooled * (1 - pooled));
  return { effect, withoutEffect, withEffect };
}

type SizingInput = Omit<PlanInput, 'smallestEffect' | 'baseline' | 'dailyVisitors'>;

/** How many visitors of each variation find an effect. */
function sizing(input: SizingInput): (spread: Spread) => number {
  const { method, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, power = DEFAULT_POWER } = input;
  const reserve = normalUpperQuantile(1 - power);
  const level = alpha / comparisonsOf(input);
  const factor =
    method === 'group-sequential' ? inflation(level, power, input.spending ?? DEFAULT_SPENDING) : 1;
  return ({ effect, withoutEffect, withEffect }) => {
    const required = (critical: number) => ((critical * withoutEffect + reserve * withEffect) / effect) ** 2;
    const once = required(normalUpperQuantile(level / 2));
    if (method !== 'sequential') return once * factor;
    return fixedPoint(once, (n) => required(sequentialCritical(2 * n, alpha, sequentialN, level)));
  };
}

/** The smallest and largest relative changes that are looked for. */
const DETECTABLE = { min: 1e-6, max: 1e6 };
const HALVINGS = 60;

/**
 * The smallest relative increase that this many visitors, in all variations, find with the given power. Null if they find
 * none, or without a baseline.
 */
export function detectableEffect(input: Omit<PlanInput, 'smallestEffect'>, visitors: number): number | null {
  const { variations = 2 } = input;
  const size = sizing(input);
  const isFound = (value: number) => {
    const spread = spreadOf({ ...input, smallestEffect: { kind: 'relative', value } });
    return spread !== null && size(spread) <= visitors / variations;
  };
  const { baseline } = input;
  // A rate cannot be more than 100 %.
  const most = baseline.metric === 'proportion' ? (1 / baseline.rate - 1) * (1 - 1e-9) : DETECTABLE.max;
  let [low, high] = [Math.log(DETECTABLE.min), Math.log(Math.min(DETECTABLE.max, most))];
  if (!(low < high && isFound(Math.exp(high)))) return null;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (isFound(Math.exp(middle))) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

/** The smallest p-value of all variations must be this much smaller, with either correction. */
function comparisonsOf({ method, correction = 'holm', variations = 2 }: SizingInput): number {
  return method === 'bayesian' || correction === 'none' ? 1 : variations - 1;
}

/** Always-valid sequences widen slowly with the number of visitors, so the iteration converges within a few steps. */
function fixedPoint(start: number, next: (n: number) => number): number {
  let n = start;
  for (let step = 0; step < 100; step++) {
    const better = next(n);
    if (Math.abs(better - n) <= 1e-9 * n) return better;
    n = better;
  }
  return n;
}

/** How many more visitors a group-sequential test needs than a test that is evaluated once. */
function inflation(alpha: number, power: number, spending: Spending): number {
  const fractions = Array.from({ length: PLANNED_LOOKS }, (_, index) => (index + 1) / PLANNED_LOOKS);
  const criticals = fractions.map((fraction) => monitoredCritical({ fraction, spending }, alpha));
  const powerAt = (drift: number) => {
    const process = new MonitoredProcess(drift);
    const stops = fractions.map((fraction, i) =>
      process.advance(fraction, criticals[i]! * Math.sqrt(fraction)),
    );
    return stops.reduce((sum, probability) => sum + probability, 0);
  };
  const once = normalUpperQuantile(alpha / 2) + normalUpperQuantile(1 - power);
  const drift = findRoot((size) => powerAt(size) - power, 1.1 * once, 0.2);
  return (drift / once) ** 2;
}

export interface GuardrailPlanInput {
  readonly baseline: Baseline;
  /** The relative harm that must be excluded. */
  readonly maxHarm: number;
  readonly alpha?: number | undefined;
  readonly sequentialN?: number | undefined;
  readonly power?: number | undefined;
  readonly variations?: number | undefined;
}

/**
 * The number of visitors, in all variations, after which harm beyond the margin is excluded with the given probability
 * if there is none. Null without a baseline.
 */
export function planGuardrail(input: GuardrailPlanInput): number | null {
  const { baseline, maxHarm, variations = 2 } = input;
  const { alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, power = DEFAULT_POWER } = input;
  const mean = baseline.metric === 'proportion' ? baseline.rate : baseline.mean;
  const variance = baseline.metric === 'proportion' ? mean * (1 - mean) : baseline.variance;
  const margin = maxHarm * mean;
  if (!(margin > 0 && variance > 0)) return null;
  const reserve = normalUpperQuantile(1 - power);
  const required = (critical: number) => 2 * variance * ((critical + reserve) / margin) ** 2;
  const each = fixedPoint(required(normalUpperQuantile(alpha / 2)), (n) =>
    required(sequentialCritical(2 * n, alpha, sequentialN)),
  );
  const visitors = Math.ceil(each) * variations;
  return Number.isFinite(visitors) ? visitors : null;
}
