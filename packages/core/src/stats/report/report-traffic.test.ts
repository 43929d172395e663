import { describe, expect, it } from 'vitest';
import { dayAt, inputOf } from '../../testing/report-cases.ts';
import type { ReportInput } from './report-input.ts';
import { trafficOf } from './report-traffic.ts';

const exposed = (exposures: readonly number[], first = 0, bot = false) =>
  exposures.map((number, index) => ({
    at: dayAt(first + index),
    variationKey: 'b',
    bot,
    exposures: number,
  }));

const traffic = (visitors: number, exposures: readonly number[], more: Partial<ReportInput> = {}) =>
  trafficOf(inputOf([], { exposures: exposed(exposures), ...more }), visitors);

const EVEN = Array(11).fill(100);

describe('new visitors per day', () => {
  it('are in proportion to the exposures of the last seven days', () => {
    // 700 of 1,000 exposures in seven days, so 1,400 of 2,000 visitors.
    expect(traffic(2000, EVEN.slice(0, 10)).dailyVisitors).toBeCloseTo(200, 9);
    // Days 3 to 9 have all of the exposures.
    expect(traffic(2100, [0, 0, 0, ...Array(7).fill(50)]).dailyVisitors).toBeCloseTo(300, 9);
    expect(traffic(2100, [50, 50, 50, 0, 0, 0, 0, 0, 0, 0]).dailyVisitors).toBe(0);
  });

  it('count the part of today that is over', () => {
    // Seven days and a half, from the midnight before seven days ago.
    const exposures = [...EVEN.slice(0, 10), 50];
    expect(traffic(1050, exposures, { asOf: dayAt(10.5) }).dailyVisitors).toBeCloseTo(100, 9);
  });

  it('count the part of the first day after the start', () => {
    // Two days and a quarter.
    const more = { startedAt: dayAt(0.75), asOf: dayAt(3) };
    expect(traffic(450, [25, 100, 100], more).dailyVisitors).toBeCloseTo(200, 9);
  });

  it('are of at least one day', () => {
    expect(traffic(90, [30], { startedAt: dayAt(0), asOf: dayAt(0.25) }).dailyVisitors).toBeCloseTo(90, 9);
  });

  it('count exposures before the start without its time', () => {
    const more = { startedAt: dayAt(2), asOf: dayAt(4) };
    expect(traffic(600, [0, 100, 100, 100], more).dailyVisitors).toBeCloseTo(300, 9);
  });

  it('leave out days with a pause', () => {
    const pauses = [{ from: dayAt(8.5), to: dayAt(9.5) }];
    // Days 3 to 7: 500 of 800 exposures.
    expect(traffic(800, [...EVEN.slice(0, 8), 0, 0], { pauses }).dailyVisitors).toBeCloseTo(100, 9);
    // A pause that touches the midnight between two days is on one of them.
    const until = [{ from: dayAt(8), to: dayAt(9) }];
    expect(traffic(900, [...EVEN.slice(0, 8), 0, 100], { pauses: until }).dailyVisitors).toBeCloseTo(100, 9);
    const open = [{ from: dayAt(5), to: null }];
    expect(traffic(500, [...EVEN.slice(0, 5), 0, 0, 0, 0, 0], { pauses: open }).dailyVisitors).toBeCloseTo(
      100,
      9,
    );
  });

  it('are zero without exposures', () => {
    expect(traffic(0, [])).toEqual({ dailyVisitors: 0, uncertainty: 0.3 });
  });

  it('leave out bots, unless they are included', () => {
    const exposures = [...exposed(EVEN.slice(0, 10)), ...exposed([9000], 1, true)];
    expect(traffic(1000, [], { exposures }).dailyVisitors).toBeCloseTo(100, 9);
    expect(traffic(1000, [], { exposures, includeBots: true }).dailyVisitors).toBeCloseTo(10, 9);
  });
});

describe('their uncertainty', () => {
  it('is the standard error of the mean of the full days, relative to it', () => {
    // Mean 100, standard deviation 50, three days.
    const more = { asOf: dayAt(3.5) };
    expect(traffic(1, [50, 100, 150, 7], more).uncertainty).toBeCloseTo(0.5 / Math.sqrt(3), 12);
  });

  it('is at least 10 %, and 30 % with fewer than three full days', () => {
    expect(traffic(1, EVEN).uncertainty).toBe(0.1);
    expect(traffic(1, [1, 400], { asOf: dayAt(2.5) }).uncertainty).toBe(0.3);
  });

  it('is 30 % without any exposure on full days', () => {
    expect(traffic(1, [0, 0, 0, 8], { asOf: dayAt(3.5) }).uncertainty).toBe(0.3);
  });
});
