import { analyse } from '../../packages/core/dist/stats/analysis.js';
import { normal, random } from './random.js';

export const NAMES = { proportion: 'conversion rate', mean: 'revenue per visitor' };

export const RATE = 0.1;

/** Metrics of a shop: purchases and revenue. Revenue is skewed, and every tenth order has a partial refund. */
export const METRICS = {
  proportion: { mean: RATE, draw: (uplift) => (random() < RATE * (1 + uplift) ? 1 : 0) },
  mean: {
    mean: 0.2 * (0.9 - 0.1 * 0.3) * Math.exp(3 + 0.32),
    draw: (uplift) => {
      if (random() >= 0.2) return 0;
      const value = Math.exp(3 + 0.8 * normal()) * (1 + uplift);
      return random() < 0.1 ? -0.3 * value : value;
    },
  },
};

export class Sums {
  n = 0;
  sum = 0;
  sumSquares = 0;

  add(value) {
    this.n++;
    this.sum += value;
    this.sumSquares += value * value;
  }
}

/** Sums with a value before the test, for CUPED. */
export class CovariateSums extends Sums {
  covariates = { sums: [0], products: [[0]], shared: [0] };

  addPair(value, before) {
    const { sums, products, shared } = this.covariates;
    this.add(value);
    sums[0] += before;
    products[0][0] += before * before;
    shared[0] += before * value;
  }
}

/** @param settings method, metric, and what the method needs */
export function compare(settings, control, variation) {
  const variations = [
    { key: 'control', ...control },
    { key: 'variation', ...variation },
  ];
  return analyse({ ...settings, control: 'control', variations }).variations[1];
}

export const excludesZero = ({ low, high }) => (low !== null && low > 0) || (high !== null && high < 0);

/** Uses the p-value if there is one, else the interval. */
export function isSignificant({ pValue, absolute }) {
  if (pValue !== null) return pValue < 0.05;
  return absolute !== null && excludesZero(absolute);
}

/** An open end contains everything; null has no interval. */
export const contains = (interval, truth) =>
  interval === null ||
  ((interval.low === null || interval.low <= truth) && (interval.high === null || truth <= interval.high));

export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
