import { describe, expect, it } from 'vitest';
import { monitoredCritical, monitoredPValue } from './monitoring.ts';
import { SPENDINGS } from './spending.ts';

describe.each(SPENDINGS)('%s', (spending) => {
  it('has the p-value alpha at the critical value, at any time', () => {
    for (const fraction of [1e-6, 1e-4, 0.01, 0.02, 0.05, 0.31, 0.5, 0.99, 1, 3]) {
      for (const alpha of [0.001, 0.05, 0.2]) {
        const critical = monitoredCritical({ fraction, spending }, alpha);
        expect(monitoredPValue({ fraction, spending }, critical) / alpha).toBeCloseTo(1, 3);
        expect(monitoredPValue({ fraction, spending }, -critical - 0.1)).toBeLessThan(alpha);
      }
    }
  });

  it('finds a disaster on the first day, and its p-value is never NaN', () => {
    for (const fraction of [1e-6, 1e-5, 1e-3, 0.01]) {
      expect(monitoredCritical({ fraction, spending }, 0.05)).toBeLessThan(5.1);
      for (const z of [0, 5.2, 21, 40, 1e6, Number.MAX_VALUE]) {
        const pValue = monitoredPValue({ fraction, spending }, z);
        expect(pValue >= 0 && pValue <= 1).toBe(true);
        if (z > 5.1) expect(pValue).toBeLessThan(0.05);
      }
    }
  });
});

it('is a constant for the Brownian motion, but for a hundredth of alpha', () => {
  // The quantile of 1 - 0.99 · alpha / 4.
  expect(monitoredCritical({ fraction: 1, spending: 'obrien-fleming' }, 0.05)).toBeCloseTo(2.2453, 4);
  expect(monitoredCritical({ fraction: 0.5, spending: 'obrien-fleming' }, 0.05)).toBeCloseTo(
    2.2453 * Math.SQRT2,
    3,
  );
});
