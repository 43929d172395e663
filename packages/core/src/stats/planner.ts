import { DEFAULT_ALPHA } from './alpha.ts';
import type { MethodSettings } from './analysis.ts';
import { findRoot } from './distributions/find-root.ts';
import { normalUpperQuantile } from './distributions/normal.ts';
import { boundariesOf } from './group-sequential/boundaries.ts';
import { MonitoredProcess } from './group-sequential/monitored-process.ts';
import { DEFAULT_SPENDING, type Spending } from './group-sequential/spending.ts';
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
  const visitorsPerVariation = Math.ceil(perVariation(spread, input));
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

function perVariation({ effect, withoutEffect, withEffect }: Spread, input: PlanInput): number {
  const { method, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, power = DEFAULT_POWER } = input;
  const margin = normalUpperQuantile(1 - power) * withEffect;
  const required = (critical: number) => ((critical * withoutEffect + margin) / effect) ** 2;
  const once = required(normalUpperQuantile(alpha / 2));
  if (method === 'group-sequential')
    return once * inflation(alpha, power, input.spending ?? DEFAULT_SPENDING);
  if (method !== 'sequential') return once;
  // The sequence widens slowly with the number of visitors, so fixed-point iteration converges within a few steps.
  let n = once;
  for (let step = 0; step < 100; step++) {
    const next = required(sequentialCritical(2 * n, alpha, sequentialN));
    if (Math.abs(next - n) <= 1e-9 * n) return next;
    n = next;
  }
  return n;
}

/** How many more visitors a group-sequential test needs than a test that is evaluated once. */
function inflation(alpha: number, power: number, spending: Spending): number {
  const fractions = Array.from({ length: PLANNED_LOOKS }, (_, index) => (index + 1) / PLANNED_LOOKS);
  const criticals = boundariesOf(fractions, spending).criticals(alpha);
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
