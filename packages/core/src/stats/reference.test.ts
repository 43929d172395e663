import { describe, expect, it } from 'vitest';
import analyses from '../cases/stats-analyses.json' with { type: 'json' };
import distributions from '../cases/stats-distributions.json' with { type: 'json' };
import tools from '../cases/stats-tools.json' with { type: 'json' };
import { type Analysis, analyse } from './analysis.ts';
import { betaCdf, betaQuantile, betaSurvival } from './distributions/beta.ts';
import {
  chiSquareCdf,
  chiSquareSurvival,
  chiSquareUpperQuantile,
  gammaCdf,
  gammaQuantile,
  gammaSurvival,
  gammaUpperQuantile,
} from './distributions/gamma.ts';
import {
  normalCdf,
  normalLoss,
  normalQuantile,
  normalSurvival,
  normalUpperQuantile,
} from './distributions/normal.ts';
import { logGamma } from './distributions/stirling.ts';
import { studentTwoSided, studentUpperQuantile } from './distributions/student-t.ts';
import { type Adjustment, adjustPValues } from './multiple-testing.ts';
import { type PlanInput, planTest } from './planner.ts';
import { sampleRatio } from './sample-ratio.ts';

// What mpmath, SciPy and statsmodels say; cases/make-stats-cases.py asked them.

const FUNCTIONS: Record<string, (...args: number[]) => number> = {
  betaCdf,
  betaQuantile,
  betaSurvival,
  chiSquareCdf,
  chiSquareSurvival,
  chiSquareUpperQuantile,
  gammaCdf,
  gammaQuantile,
  gammaSurvival,
  gammaUpperQuantile,
  logGamma,
  normalCdf,
  normalLoss,
  normalQuantile,
  normalSurvival,
  normalUpperQuantile,
  studentTwoSided,
  studentUpperQuantile,
};

const deviation = (actual: number, expected: number) =>
  actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);

describe('distributions', () => {
  const names = [...new Set(distributions.cases.map((each) => each.function))];

  it.each(names)('%s agrees to 1e-9', (name) => {
    const off = distributions.cases
      .filter((each) => each.function === name)
      .map(({ args, expected }) => ({ args, expected, actual: FUNCTIONS[name]!(...args) }))
      .filter(({ actual, expected }) => !(deviation(actual, expected) <= 1e-9));
    expect(off).toEqual([]);
  });

  it('has every function, and tails far below 1e-12', () => {
    expect(names.toSorted()).toEqual(Object.keys(FUNCTIONS).toSorted());
    const tails = distributions.cases.filter(({ expected }) => expected > 0 && expected < 1e-12);
    expect(tails.length).toBeGreaterThan(50);
  });
});

describe('analyses', () => {
  it.each(analyses.cases)('$name', ({ input, expected }) => {
    const { variations } = analyse(input as unknown as Analysis);
    // A sum of squares of values near a million keeps only four digits of a spread near one.
    const cancelled = input.variations.some(
      ({ n, sum, sumSquares }) => sumSquares - sum ** 2 / n < 1e-9 * sumSquares,
    );
    const tolerance = cancelled ? 1e-3 : input.method === 'sequential' ? 1e-6 : 1e-9;
    expectClose(variations, expected, tolerance, '');
  });
});

describe('tools', () => {
  it.each(tools.cases)('$function $args', ({ function: name, args, expected }) => {
    expectClose(run(name, args), expected, 1e-9, '');
  });

  function run(name: string, args: unknown[]): unknown {
    if (name === 'sampleRatio') return sampleRatio(args[0] as number[], args[1] as number[]);
    if (name === 'adjustPValues') return adjustPValues(args[0] as number[], args[1] as Adjustment);
    return planTest(args[0] as PlanInput)?.visitorsPerVariation;
  }
});

/** Numbers within a relative tolerance (intervals: of their width), everything else the same. */
function expectClose(actual: unknown, expected: unknown, tolerance: number, path: string): void {
  if (typeof expected === 'number') {
    expect(
      deviation(actual as number, expected),
      `${path}: ${actual} instead of ${expected}`,
    ).toBeLessThanOrEqual(tolerance);
  } else if (typeof expected === 'object' && expected !== null) {
    expect(actual, path).toBeTypeOf('object');
    for (const [name, value] of Object.entries(expected)) {
      expectClose((actual as Record<string, unknown>)?.[name], value, tolerance, `${path}.${name}`);
    }
  } else expect(actual, path).toBe(expected);
}
