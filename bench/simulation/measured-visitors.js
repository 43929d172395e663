import { metricCounts } from '../../packages/core/dist/stats/metrics/metric-counts.js';
import { metricResults } from '../../packages/core/dist/stats/metrics/metric-results.js';
import { exponential, normal, poisson, random } from './random.js';

/** A metric of two variations: what visitors do, and what is added up of it. */
class SummedArm {
  visitors = 0;
  reached = 0;
  value = { sum: 0, sumSquares: 0 };
  denominator = { sum: 0, sumSquares: 0 };
  product = 0;
  steps = [0, 0, 0];

  add({ x, d = 0, steps = [] }) {
    this.visitors++;
    if (x > 0) this.reached++;
    this.value.sum += x;
    this.value.sumSquares += x * x;
    this.denominator.sum += d;
    this.denominator.sumSquares += d * d;
    this.product += x * d;
    for (const [index, isReached] of steps.entries()) this.steps[index] += Number(isReached);
  }
}

/** Keeps all values, like the event store, and estimates the quantile in the same way. */
class QuantileArm {
  /** In the order of the visitors, and how many each of them has. */
  #values = [];
  #counts = [];
  /** All values but those since the last estimate. */
  #sorted = new Float64Array(0);
  #estimate = { visitors: 0, values: 0, value: null, standardError: null };

  get visitors() {
    return this.#counts.length;
  }

  add({ values }) {
    if (values.length === 0) return;
    for (const value of values) this.#values.push(value);
    this.#counts.push(values.length);
  }

  /** By visitor: the outer confidence interval of the quantile, divided by its width in standard errors. */
  estimate(p) {
    const [n, total] = [this.visitors, this.#values.length];
    if (total === this.#sorted.length) return this.#estimate;
    const fresh = Float64Array.from(this.#values.slice(this.#sorted.length)).sort();
    const sorted = merged(this.#sorted, fresh);
    this.#sorted = sorted;
    const value = quantileOf(sorted, p);
    const error = Math.sqrt(this.#variance(value));
    const z = 1.96;
    const bound = (sign) => quantileOf(sorted, Math.min(1, Math.max(0, p + sign * z * error)));
    const standardError = n < 2 ? null : (bound(1) - bound(-1)) / (2 * z);
    this.#estimate = { visitors: n, values: total, value, standardError };
    return this.#estimate;
  }

  /** Of the share of values up to this one, as a ratio of two sums over visitors. */
  #variance(value) {
    const [n, total] = [this.visitors, this.#values.length];
    let [below, squares, products, countSquares, at] = [0, 0, 0, 0, 0];
    for (const count of this.#counts) {
      let own = 0;
      for (const end = at + count; at < end; at++) if (this.#values[at] <= value) own++;
      below += own;
      squares += own * own;
      products += own * count;
      countSquares += count * count;
    }
    const share = below / total;
    return ((squares - 2 * share * products + share * share * countSquares) * n) / (n - 1) / total ** 2;
  }
}

function merged(a, b) {
  const all = new Float64Array(a.length + b.length);
  for (let i = 0, j = 0, k = 0; k < all.length; k++) {
    all[k] = j === b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
  }
  return all;
}

function quantileOf(sorted, p) {
  const at = p * (sorted.length - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** Three to ten values of each visitor, who are fast or slow: log-normal, with a correlation of 0.4 within a visitor. */
const SPREAD = { visitor: 0.5, value: 0.6 };
const loads = (lift) => () => {
  const own = SPREAD.visitor * normal();
  return {
    values: Array.from(
      { length: 3 + Math.floor(8 * random()) },
      () => (1 + lift) * Math.exp(own + SPREAD.value * normal()),
    ),
  };
};
const NORMAL_QUANTILES = { 0.5: 0, 0.9: 1.2815515655446004, 0.99: 2.3263478740408408 };
const quantile = (p) => ({
  definition: { kind: 'quantile', quantile: p, format: 'seconds', withinDays: 7 },
  draw: loads,
  truth: Math.exp(NORMAL_QUANTILES[p] * Math.hypot(SPREAD.visitor, SPREAD.value)),
});

/** Visitors with many page views have more of everything, and some have a slow device with many errors. */
const errors = (lift) => () => {
  const slow = random() < 0.2;
  const views = 1 + poisson(slow ? 6 : 2);
  return { x: poisson(views * (slow ? 0.3 : 0.05) * (1 + lift)), d: views };
};

const bounces = (lift) => () => {
  const sessions = 1 + poisson(0.8);
  let x = 0;
  for (let i = 0; i < sessions; i++) if (random() < (sessions > 1 ? 0.3 : 0.5) * (1 + lift)) x++;
  return { x, d: sessions };
};

const funnel = (lift) => () => {
  const cart = random() < 0.4;
  const checkout = cart && random() < 0.5;
  const paid = checkout && random() < 0.5 * (1 + lift);
  return { x: Number(paid), steps: [cart, checkout, paid] };
};

const definition = (kind, more = {}) => ({ kind, format: 'number', withinDays: 7, ...more });

/** By name: the definition of a metric, how a visitor is drawn, and the true value without an effect. */
export const MEASURED = {
  'count, conversion rate': {
    definition: definition('count'),
    draw: (lift) => () => ({ x: random() < 0.1 * (1 + lift) ? 1 + poisson(0.4) : 0 }),
    truth: 0.1,
  },
  'sum per visitor': {
    definition: definition('sum', { format: 'money' }),
    draw: (lift) => () => ({ x: random() < 0.2 ? exponential(40) * (1 + lift) : 0 }),
    truth: 8,
  },
  'page views per visitor': {
    definition: definition('page', { of: 'views' }),
    draw: (lift) => () => ({ x: poisson((random() < 0.2 ? 6 : 1) * (1 + lift)) }),
    truth: 2,
  },
  'bounce rate': {
    definition: definition('page', { of: 'bounce' }),
    draw: bounces,
    // Sessions of visitors with one session, and of all others.
    truth: (0.5 * Math.exp(-0.8) + 0.3 * (1.8 - Math.exp(-0.8))) / 1.8,
  },
  'ratio: errors per page view': {
    definition: definition('ratio'),
    draw: errors,
    truth: (0.2 * 7 * 0.3 + 0.8 * 3 * 0.05) / (0.2 * 7 + 0.8 * 3),
  },
  retention: {
    definition: definition('retention'),
    draw: (lift) => () => ({ x: Number(random() < 0.3 * (1 + lift)) }),
    truth: 0.3,
  },
  'funnel of three steps': {
    definition: definition('funnel', { steps: ['cart', 'checkout', 'paid'] }),
    draw: funnel,
    truth: 0.1,
  },
  'quantile, p50': quantile(0.5),
  'quantile, p90': quantile(0.9),
  'quantile, p99': quantile(0.99),
};

export const newArm = ({ definition: { kind } }) =>
  kind === 'quantile' ? new QuantileArm() : new SummedArm();

/** The deciding comparison of two arms. */
export function compareMetric({ definition }, method, [control, variation]) {
  const goal = { id: 'm', kind: 'metric', metricId: 'm', definition };
  const arms = Object.entries({ control, b: variation });
  const isQuantile = definition.kind === 'quantile';
  const counts = metricCounts(
    {
      variations: arms.map(([key]) => ({ key, weight: 1 })),
      goals: [goal],
      includeBots: false,
      metrics: {
        groups: isQuantile ? [] : arms.map(([key, arm]) => groupOf(key, arm)),
        quantiles: isQuantile ? arms.map(([key, arm]) => estimateOf(key, arm, definition.quantile)) : [],
      },
    },
    arms.map(([, arm]) => ({ visitors: arm.visitors })),
  );
  return metricResults(goal, counts.get('m'), method, 'deciding')[0].variations[1];
}

const groupOf = (variationKey, { visitors, reached, value, denominator, product, steps }) => ({
  metricId: 'm',
  variationKey,
  returning: false,
  bot: false,
  pending: 0,
  visitors,
  reached,
  value,
  denominator,
  product,
  steps,
});

const estimateOf = (variationKey, arm, p) => ({
  metricId: 'm',
  variationKey,
  includeBots: false,
  pending: 0,
  ...arm.estimate(p),
});
