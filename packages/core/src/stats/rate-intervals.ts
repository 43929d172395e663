import { type Interval, unknownInterval } from './comparison.ts';
import { findRoot } from './distributions/find-root.ts';

/** Ratios whose logarithm is beyond this are impossible. */
const MAX_LOG = 300;
/** A larger relative change is unlimited for all practical purposes. */
const MAX_CHANGE = 1e15;

/** Converted visitors of the control and of a variation. */
export interface ConvertedCounts {
  readonly n: number;
  readonly converted: number;
}

/**
 * The score test of two conversion rates: its standard error comes from the most likely rates under the tested
 * hypothesis. For "no difference" this is the two-proportion test that pools the arms.
 */
export class RateIntervals {
  readonly #control: ConvertedCounts;
  readonly #variation: ConvertedCounts;
  readonly #controlRate: number;
  readonly #rate: number;

  constructor(control: ConvertedCounts, variation: ConvertedCounts) {
    this.#control = control;
    this.#variation = variation;
    this.#controlRate = control.converted / control.n;
    this.#rate = variation.converted / variation.n;
  }

  /** The statistic of "no difference"; 0 if nobody or everybody has converted. */
  get z(): number {
    return this.#ratioStatistic(1);
  }

  /** All differences that the test does not reject. */
  absolute(critical: number): Interval {
    const estimate = this.#rate - this.#controlRate;
    if (!Number.isFinite(critical)) return unknownInterval(estimate);
    const width = this.#width(critical);
    const bound = (sign: 1 | -1) =>
      findRoot(
        (difference) => {
          if (difference <= -1) return -Infinity;
          if (difference >= 1) return Infinity;
          return -this.#differenceStatistic(difference) - sign * critical;
        },
        Math.max(-1, Math.min(1, estimate + sign * width)),
        width / 2,
      );
    return {
      estimate,
      low: estimate === -1 ? -1 : Math.max(-1, bound(-1)),
      high: estimate === 1 ? 1 : Math.min(1, bound(1)),
    };
  }

  /** All relative changes that the test does not reject; null if nobody has converted in the control. */
  relative(critical: number): Interval | null {
    if (this.#control.converted === 0) return null;
    const ratio = this.#rate / this.#controlRate;
    if (!Number.isFinite(critical)) return unknownInterval(ratio - 1);
    // The delta method on the logarithm, with at least half a conversion.
    const inverse = ({ n, converted }: ConvertedCounts) => 1 / Math.max(converted, 0.5) - 1 / n;
    const width = critical * Math.sqrt(inverse(this.#control) + inverse(this.#variation));
    const center = Math.log(Math.max(this.#variation.converted, 0.5) / this.#variation.n / this.#controlRate);
    const bound = (sign: 1 | -1) =>
      Math.expm1(
        findRoot(
          (log) => (Math.abs(log) > MAX_LOG ? log : -this.#ratioStatistic(Math.exp(log)) - sign * critical),
          center + sign * Math.min(MAX_LOG / 10, width),
          1,
        ),
      );
    const high = bound(1);
    return {
      estimate: ratio - 1,
      low: this.#variation.converted === 0 ? -1 : bound(-1),
      high: high < MAX_CHANGE ? high : null,
    };
  }

  /** About the distance of a bound from the estimate. */
  #width(critical: number): number {
    const variance = ({ n, converted }: ConvertedCounts) => {
      const rate = (converted + 1) / (n + 2);
      return (rate * (1 - rate)) / n;
    };
    const width = critical * Math.sqrt(variance(this.#control) + variance(this.#variation));
    return Math.max(1e-12, Math.min(1, width));
  }

  #differenceStatistic(difference: number): number {
    const { rate, otherRate } = this.#likelyRates(difference);
    return this.#statistic(this.#rate - this.#controlRate - difference, rate, otherRate, 1);
  }

  #ratioStatistic(ratio: number): number {
    const { n, converted } = this.#control;
    const { n: otherN, converted: otherConverted } = this.#variation;
    // The likelihood has its maximum at the smaller root of a quadratic equation.
    const [sum, otherSum] = [n + otherConverted, ratio * (otherN + converted)];
    const root = Math.hypot(
      sum - otherSum,
      2 * Math.sqrt(ratio * (n - converted) * (otherN - otherConverted)),
    );
    const rate = Math.min(1, 1 / ratio, (2 * (converted + otherConverted)) / (sum + otherSum + root));
    // Exactly 1 at the edge: the rounding error of the product would be large compared with a tiny variance.
    const isAtEdge = otherConverted === otherN && otherSum >= sum;
    const otherRate = isAtEdge ? 1 : ratio * rate;
    return this.#statistic(this.#rate - ratio * this.#controlRate, rate, otherRate, ratio);
  }

  /** Distance from the hypothesis in standard errors, with the rates that are most likely under it. */
  #statistic(distance: number, controlRate: number, rate: number, ratio: number): number {
    if (distance === 0) return 0;
    // Divided by large ratios, whose squares would overflow.
    const scale = Math.max(1, ratio);
    const variance =
      (rate * Math.max(0, 1 - rate)) / this.#variation.n / scale / scale +
      ((ratio / scale) ** 2 * controlRate * (1 - controlRate)) / this.#control.n;
    return distance / scale / Math.sqrt(variance);
  }

  /**
   * The most likely rates if the other rate is higher by `difference`: where the derivative of the log likelihood, which
   * decreases, is zero, or at an edge of the possible range. Newton's method, or bisection where it leaves the range.
   */
  #likelyRates(difference: number): { rate: number; otherRate: number } {
    let [low, high] = [Math.max(0, -difference), Math.min(1, 1 - difference)];
    // Exact at the edges: a rounding error would be large compared with a tiny variance.
    if (this.#slopes(high, difference).slope >= 0) {
      return difference < 0 ? { rate: 1, otherRate: 1 + difference } : { rate: 1 - difference, otherRate: 1 };
    }
    if (this.#slopes(low, difference).slope <= 0) {
      return difference < 0 ? { rate: -difference, otherRate: 0 } : { rate: 0, otherRate: difference };
    }
    const { n, converted } = this.#control;
    const { n: otherN, converted: otherConverted } = this.#variation;
    const pooled = (converted + otherConverted - otherN * difference) / (n + otherN);
    let rate = pooled > low && pooled < high ? pooled : (low + high) / 2;
    for (let step = 0; step < 100; step++) {
      const { slope, curvature } = this.#slopes(rate, difference);
      if (slope > 0) low = rate;
      else high = rate;
      const newton = rate - slope / curvature;
      const next = newton > low && newton < high ? newton : (low + high) / 2;
      if (Math.abs(next - rate) <= 1e-15 * next) return { rate: next, otherRate: next + difference };
      rate = next;
    }
    return { rate, otherRate: rate + difference };
  }

  /** The derivatives of the log likelihood at a rate of the control; infinite at an edge that the data rules out. */
  #slopes(rate: number, difference: number): { slope: number; curvature: number } {
    const { n, converted } = this.#control;
    const { n: otherN, converted: otherConverted } = this.#variation;
    const other = difference >= 0 && rate === 1 - difference ? 1 : rate + difference;
    const terms = [
      [converted, rate, 1],
      [n - converted, 1 - rate, -1],
      [otherConverted, other, 1],
      [otherN - otherConverted, 1 - other, -1],
    ] as const;
    let [slope, curvature] = [0, 0];
    for (const [count, share, sign] of terms) {
      // Nobody to explain: the share can be anything.
      if (count === 0) continue;
      slope += (sign * count) / share;
      curvature -= count / share / share;
    }
    return { slope, curvature };
  }
}
