import { describe, expect, it } from 'vitest';
import { MonitoredProcess } from './monitored-process.ts';
import { monitoredCritical, monitoredPValue } from './monitoring.ts';
import { SPENDINGS, type Spending } from './spending.ts';

const fractions = (looks: number) => Array.from({ length: looks }, (_, index) => (index + 1) / looks);

/** The chance that a test without an effect is significant at any of the looks. */
function falseAlarms(spending: Spending, looks: number, alpha = 0.05): number {
  const process = new MonitoredProcess();
  const times = fractions(looks);
  return times.reduce((sum, fraction, index) => {
    const limit = monitoredCritical({ fraction, spending }, alpha) * Math.sqrt(fraction);
    return sum + process.advance(fraction, limit, times[index + 1]);
  }, 0);
}

describe.each(SPENDINGS)('%s', (spending) => {
  it.each([1, 28, 224, 500])('keeps the error rate with %i looks', (looks) => {
    expect(falseAlarms(spending, looks)).toBeLessThan(0.05);
    expect(falseAlarms(spending, looks, 0.01)).toBeLessThan(0.01);
  });

  it('wastes little of it if one looks all the time', () => {
    expect(falseAlarms(spending, 500)).toBeGreaterThan(0.042);
  });

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
