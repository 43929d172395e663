import { describe, expect, it } from 'vitest';
import { metricGoal, metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import type { MethodSettings } from '../analysis.ts';
import type { ReportMetric } from '../report/report-input.ts';
import { metricCounts } from './metric-counts.ts';
import { metricResults } from './metric-results.ts';

// Small versions of the tables in docs/reference/statistics.md, which come from `node bench/simulation.js --only metrics`.

const SEED = 20_261_119;

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(SEED);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const repeat = <T>(count: number, draw: () => T) => Array.from({ length: count }, draw);

/** A visitor's value and denominator, or the values of a quantile. */
interface Visitor {
  readonly x: number;
  readonly d: number;
  readonly values: readonly number[];
}

const one = (more: Partial<Visitor>): Visitor => ({ x: 0, d: 0, values: [], ...more });

/** Errors of one to ten page views, many of them on slow devices: numerator and denominator are correlated. */
function drawErrors(): Visitor {
  const slow = random() < 0.2;
  const views = 1 + Math.floor((slow ? 10 : 4) * random());
  return one({ x: repeat(views, () => random() < (slow ? 0.4 : 0.1)).filter(Boolean).length, d: views });
}

/** Three to ten load times of a visitor, who is fast or slow. */
function drawLoads(): Visitor {
  const own = 0.6 * normal();
  return one({ values: repeat(3 + Math.floor(8 * random()), () => Math.exp(own + 0.6 * normal())) });
}

const drawStays = () => one({ x: Number(random() < 0.3) });

const RATIO = { definition: { kind: 'ratio' }, draw: drawErrors } as const;
const RETENTION = { definition: { kind: 'retention', withinDays: 7 }, draw: drawStays } as const;
const MEDIAN = { definition: { kind: 'quantile', quantile: 0.5 }, draw: drawLoads } as const;

interface Simulated {
  readonly definition: Partial<ReportMetric>;
  readonly draw: () => Visitor;
}

function compare({ definition }: Simulated, arms: readonly Visitor[][], method: MethodSettings) {
  const goal = metricGoal(definition);
  const total = (arm: readonly Visitor[], of: (visitor: Visitor) => number) =>
    arm.reduce((sum, visitor) => sum + of(visitor), 0);
  const keys = ['control', 'b'];
  const groups = arms.map((arm, index) =>
    metricGroup(keys[index]!, arm.length, arm.filter(({ x }) => x > 0).length, {
      value: { sum: total(arm, ({ x }) => x), sumSquares: total(arm, ({ x }) => x * x) },
      denominator: { sum: total(arm, ({ d }) => d), sumSquares: total(arm, ({ d }) => d * d) },
      product: total(arm, ({ x, d }) => x * d),
    }),
  );
  const quantiles =
    definition.kind === 'quantile' ? arms.map((arm, index) => estimate(keys[index]!, arm)) : [];
  const counts = metricCounts(
    {
      variations: keys.map((key) => ({ key, weight: 1 })),
      goals: [goal],
      includeBots: false,
      metrics: { groups, quantiles },
    },
    arms.map((arm) => ({ visitors: arm.length })),
  );
  return metricResults(goal, counts.get(goal.id)!, method, 'deciding')[0]!.variations[1]!;
}

/** The median, with the standard error that the event store gives it: by visitor. */
function estimate(key: string, arm: readonly Visitor[]) {
  const values = Float64Array.from(arm.flatMap((visitor) => visitor.values)).sort();
  const at = (share: number) => values[Math.round(Math.min(1, Math.max(0, share)) * (values.length - 1))]!;
  const median = at(0.5);
  const deviations = arm.map(
    (visitor) => visitor.values.filter((it) => it <= median).length - visitor.values.length / 2,
  );
  const error = Math.sqrt(deviations.reduce((sum, it) => sum + it * it, 0)) / values.length;
  const standardError = (at(0.5 + 1.96 * error) - at(0.5 - 1.96 * error)) / (2 * 1.96);
  return quantileOf(key, median, standardError, { visitors: arm.length, values: values.length });
}

describe(`with correlated values (seed ${SEED})`, () => {
  it.each([
    ['a ratio', RATIO],
    ['retention', RETENTION],
    ['a median', MEDIAN],
  ])('intervals of %s contain the truth in about 95 % of the tests', (_, metric) => {
    const tests = 400;
    const covered = repeat(tests, () => {
      const arms = repeat(2, () => repeat(200, metric.draw));
      const { low, high } = compare(metric, arms, { method: 'frequentist' }).absolute!;
      return low! <= 0 && high! >= 0;
    });
    const share = covered.filter(Boolean).length / tests;
    // Three and a half standard errors around 95 %.
    expect(share).toBeGreaterThan(0.912);
    expect(share).toBeLessThan(0.988);
  });

  it.each([
    ['a ratio', RATIO],
    ['retention, whose visitors count after a week', RETENTION],
    ['a median', MEDIAN],
  ])('%s is looked at every day, with at most 5 % false alarms', (_, metric) => {
    const tests = 100;
    const alarms = repeat(tests, () => {
      const arms: Visitor[][] = [[], []];
      const looks = repeat(14, () => {
        for (const arm of arms) arm.push(...repeat(40, metric.draw));
        const { pValue } = compare(metric, arms, { method: 'sequential' });
        return pValue !== null && pValue < 0.05;
      });
      return looks.includes(true);
    });
    expect(alarms.filter(Boolean).length / tests).toBeLessThanOrEqual(0.05);
  });
});
