import { describe, expect, it } from 'vitest';
import { MonitoredProcess } from './monitored-process.ts';
import { monitoredCritical } from './monitoring.ts';
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
});
