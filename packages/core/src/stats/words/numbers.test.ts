import { describe, expect, it } from 'vitest';
import {
  count,
  duration,
  durationRange,
  list,
  percent,
  plural,
  quote,
  signedChange,
  signedPercent,
  type Unit,
  values,
} from './numbers.ts';

describe('counts', () => {
  it('are whole and have commas', () => {
    expect([0, 1.5, 999.4, 1234, 1_234_567.8].map(count)).toEqual(['0', '2', '999', '1,234', '1,234,568']);
  });

  it('have a noun in the singular only for one', () => {
    expect([plural(1, 'goal'), plural(0, 'goal'), plural(1200, 'goal')]).toEqual([
      '1 goal',
      '0 goals',
      '1,200 goals',
    ]);
    expect([plural(1, 'child', 'children'), plural(2, 'child', 'children')]).toEqual([
      '1 child',
      '2 children',
    ]);
  });
});

it.each([
  [0, '0 %'],
  [0.000_000_004, '0 %'],
  [0.000_000_01, '0.000001 %'],
  [0.001_23, '0.12 %'],
  [0.0989, '9.9 %'],
  [0.0999, '10 %'],
  [0.1, '10 %'],
  [0.1249, '12 %'],
  [-0.034_56, '3.5 %'],
  [12.345, '1,235 %'],
])('the percentage of %f is %s, with two digits and without its sign', (share, text) => {
  expect(percent(share)).toBe(text);
});

it('signed percentages have a plus for zero and above', () => {
  expect([0.25, 0, -0.25].map(signedPercent)).toEqual(['+25 %', '+0 %', '-25 %']);
});

describe('values of two variations', () => {
  it.each<[number, number, Unit, [string, string]]>([
    // Two digits of the larger value.
    [0.069, 0.086, 'rate', ['6.9 %', '8.6 %']],
    [0.000_69, 0.000_12, 'rate', ['0.069 %', '0.012 %']],
    [0.5, 0.6, 'rate', ['50 %', '60 %']],
    // Two digits of the difference, as long as that needs at most two decimals.
    [0.5, 0.5012, 'rate', ['50.00 %', '50.12 %']],
    [0.5, 0.512, 'rate', ['50.0 %', '51.2 %']],
    [0.5, 0.500_003, 'rate', ['50.00 %', '50.00 %']],
    [0.5, 0.5, 'rate', ['50 %', '50 %']],
    [0, 0, 'number', ['0', '0']],
    [1.25, 3.5, 'number', ['1.3', '3.5']],
    [12, 345, 'number', ['12', '345']],
    [-3.5, 1.25, 'number', ['-3.5', '1.3']],
    [0.000_000_1, 0, 'number', ['0.000000', '0.000000']],
    // Money has at least two decimals.
    [1234.5, 7, 'dollars', ['$1,234.50', '$7.00']],
    [0.001, 0.0025, 'dollars', ['$0.0010', '$0.0025']],
    [-1, -0.4, 'dollars', ['-$1.00', '-$0.40']],
  ])('%f and %f as %s', (control, variation, unit, texts) => {
    expect(values(control, variation, unit, 'USD')).toEqual(texts);
  });

  it.each([
    ['USD', '$1.20'],
    ['EUR', '€1.20'],
    ['GBP', '£1.20'],
    ['JPY', '¥1.20'],
    ['INR', '₹1.20'],
    ['KRW', '₩1.20'],
    ['ILS', '₪1.20'],
    ['VND', '₫1.20'],
    ['AUD', 'A$1.20'],
    ['BRL', 'R$1.20'],
    ['CAD', 'CA$1.20'],
    ['CNY', 'CN¥1.20'],
    ['MXN', 'MX$1.20'],
    ['NZD', 'NZ$1.20'],
    ['CHF', 'CHF 1.20'],
  ])('in %s', (currency, text) => {
    expect(values(1.2, 0, 'dollars', currency)[0]).toBe(text);
  });
});

it.each<[number, Unit, string]>([
  [0.004, 'rate', '+0.4 points'],
  [-0.0123, 'rate', '-1.2 points'],
  [0, 'rate', '+0 points'],
  [12, 'rate', '+1,200 points'],
  [1, 'rate', '+100 points'],
  [0.994, 'rate', '+99 points'],
  [1.2, 'dollars', '+$1.20'],
  [-0.005, 'dollars', '-$0.01'],
  [99.994, 'dollars', '+$99.99'],
  [100, 'dollars', '+$100'],
  [-1234.56, 'dollars', '-$1,235'],
  [0.123, 'number', '+0.12'],
  [-2500, 'number', '-2,500'],
])('a change of %f as %s is %s', (change, unit, text) => {
  expect(signedChange(change, unit, 'USD')).toBe(text);
});

it.each([
  [1, '1 day'],
  [13, '13 days'],
  [14, '2 weeks'],
  [20, '2 weeks'],
  [21, '3 weeks'],
  [7300, '1,042 weeks'],
])('%i days are %s', (days, text) => {
  expect(duration(days)).toBe(text);
});

it.each<[number, number | null, string]>([
  [3, null, '3 days or longer'],
  [15, null, '2 weeks or longer'],
  [2, 5, '2 to 5 more days'],
  [1, 1, '1 more day'],
  [0, 13, 'up to 13 more days'],
  [4, 13, '4 to 13 more days'],
  // In weeks, rounded away from each other.
  [13, 14, '1 to 2 more weeks'],
  [6, 14, 'up to 2 more weeks'],
  [14, 14, '2 more weeks'],
  [7, 15, '1 to 3 more weeks'],
  [7700, 8400, '1,100 to 1,200 more weeks'],
])('from %i to %s days: %s', (low, high, text) => {
  expect(durationRange(low, high)).toBe(text);
});

it('lists have commas, and "and" before the last item', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(list)).toEqual(['', 'a', 'a and b', 'a, b and c']);
  expect(quote('a')).toBe('"a"');
});
