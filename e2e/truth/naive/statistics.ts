/** Formulas from textbooks, by numerical integration and bisection; none of this is fast. */

/** Double-exponential quadrature, which also copes with a peak at either end. */
function integrate(f: (x: number) => number, from: number, to: number): number {
  const [half, middle] = [(to - from) / 2, (to + from) / 2];
  const step = 1 / 32;
  let total = 0;
  for (let index = -128; index <= 128; index++) {
    const t = index * step;
    const inner = (Math.PI / 2) * Math.sinh(t);
    // The distance to the nearer end, without cancellation.
    const gap = 1 / (Math.exp(Math.abs(inner)) * Math.cosh(inner));
    const x = t < 0 ? from + half * gap : to - half * gap;
    const weight = ((Math.PI / 2) * Math.cosh(t)) / Math.cosh(inner) ** 2;
    if (weight > 0) total += weight * f(Number.isFinite(x) ? x : middle);
  }
  return total * half * step;
}

/** P(|Z| > z) of a normal variable. */
export function normalTails(z: number): number {
  // Relative to the density at z, so that tiny tails keep their digits.
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return 2 * density * integrate((x) => Math.exp((-x * x) / 2 - x * z), 0, 40);
}

/** P(|T| > t) of Student's distribution, as an integral over the angle. */
export function studentTails(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const power = (theta: number) => Math.exp((degrees - 1) * Math.log(Math.cos(theta)));
  const end = Math.PI / 2;
  return integrate(power, angle, end) / integrate(power, 0, end);
}

/** The argument at which a falling function has a value. */
function solveFalling(f: (x: number) => number, value: number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let round = 0; round < 90; round++) {
    const middle = (low + high) / 2;
    if (f(middle) > value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export const normalCritical = (alpha: number) => solveFalling(normalTails, alpha, 0, 30);

export const studentCritical = (alpha: number, degrees: number) =>
  solveFalling((t) => studentTails(t, degrees), alpha, 0, 1000);

/** The confidence sequence of Waudby-Smith and others, tuned for n* visitors. */
export function sequenceOf(visitors: number, alpha: number, tunedFor: number) {
  const rho2 = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tunedFor;
  const i = visitors * rho2;
  return {
    critical: Math.sqrt((1 + 1 / i) * (Math.log(1 + i) - 2 * Math.log(alpha))),
    pValue: (z: number) => Math.min(1, Math.sqrt(1 + i) * Math.exp((-z * z * i) / (2 * (1 + i)))),
  };
}

export interface Arm {
  n: number;
  mean: number;
  /** Of the mean. */
  variance: number;
}

export function welchDegrees(a: Arm, b: Arm): number {
  return (a.variance + b.variance) ** 2 / (a.variance ** 2 / (a.n - 1) + b.variance ** 2 / (b.n - 1));
}

export interface Interval {
  low: number;
  high: number;
}

export function meanInterval(control: Arm, variation: Arm, critical: number): Interval {
  const difference = variation.mean - control.mean;
  const width = critical * Math.sqrt(control.variance + variation.variance);
  return { low: difference - width, high: difference + width };
}

/** Fieller's interval of the ratio, minus 1; undefined if it has an open end. */
export function ratioInterval(control: Arm, variation: Arm, critical: number): Interval | undefined {
  const a = control.mean ** 2 - critical ** 2 * control.variance;
  const b = control.mean * variation.mean;
  const c = variation.mean ** 2 - critical ** 2 * variation.variance;
  if (a <= 0) return undefined;
  const root = Math.sqrt(b * b - a * c);
  return { low: (b - root) / a - 1, high: (b + root) / a - 1 };
}

export interface Rate {
  n: number;
  converted: number;
}

/** The score statistic for p1 = shift + factor · p0, with the most likely rates under it. */
function score(control: Rate, variation: Rate, shift: number, factor: number): number {
  const lowest = Math.max(0, -shift / factor);
  const highest = Math.min(1, (1 - shift) / factor);
  const slope = (p: number) => {
    const q = shift + factor * p;
    const term = (count: number, chance: number) => (count === 0 ? 0 : count / chance);
    return (
      term(control.converted, p) -
      term(control.n - control.converted, 1 - p) +
      factor * (term(variation.converted, q) - term(variation.n - variation.converted, 1 - q))
    );
  };
  const p = solveFalling(slope, 0, lowest, highest);
  const q = Math.min(1, Math.max(0, shift + factor * p));
  const variance = (q * (1 - q)) / variation.n + (factor ** 2 * p * (1 - p)) / control.n;
  const distance = variation.converted / variation.n - shift - (factor * control.converted) / control.n;
  return distance === 0 ? 0 : distance / Math.sqrt(variance);
}

export const pooledStatistic = (control: Rate, variation: Rate) => score(control, variation, 0, 1);

/** Miettinen and Nurminen's interval of the difference. */
export function rateInterval(control: Rate, variation: Rate, critical: number): Interval {
  const difference = variation.converted / variation.n - control.converted / control.n;
  const at = (shift: number) => score(control, variation, shift, 1);
  return {
    low: solveFalling(at, critical, -1, difference),
    high: solveFalling(at, -critical, difference, 1),
  };
}

/** Koopman's interval of the ratio, minus 1, if both have conversions. */
export function rateRatioInterval(control: Rate, variation: Rate, critical: number): Interval {
  const ratio = variation.converted / variation.n / (control.converted / control.n);
  const at = (factor: number) => score(control, variation, 0, factor);
  return {
    low: solveFalling(at, critical, 0, ratio) - 1,
    high: solveFalling(at, -critical, ratio, ratio * 1e6) - 1,
  };
}

/** Holm's step-down correction. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => pValues[a]! - pValues[b]!);
  const adjusted: number[] = [];
  let highest = 0;
  for (const [rank, index] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * pValues[index]!));
    adjusted[index] = highest;
  }
  return adjusted;
}

/**
 * Lindon and Malek's test of the split: the inverse of a Bayes factor, mixed over Dirichlet alternatives from very
 * different splits to nearly the planned one. Visitor by visitor: how likely was each, compared with the weights?
 */
export function splitPValue(visitors: readonly number[], weights: readonly number[]): number | null {
  const total = visitors.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  const factors = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6].map((concentration) => {
    let logFactor = 0;
    let before = 0;
    for (const [index, n] of visitors.entries()) {
      const share = weights[index]! / allWeights;
      for (let own = 0; own < n; own++) {
        logFactor += Math.log((concentration * share + own) / (concentration + before) / share);
        before += 1;
      }
    }
    return Math.exp(logFactor);
  });
  return Math.min(1, factors.length / factors.reduce((sum, factor) => sum + factor, 0));
}
