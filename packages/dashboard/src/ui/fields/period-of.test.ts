import { timeZone } from '@switchyard/core/time-zone';
import { expect, test } from 'vitest';
import { periodOf, periodQuery } from './period-of.ts';

const berlin = timeZone('Europe/Berlin');
const at = (text: string) => Date.parse(text);
const NOW = at('2026-05-13T10:00+02:00');
const of = (period: string, now = NOW, days = { from: '', to: '' }) =>
  periodQuery(periodOf({ period, ...days }, now, berlin));

test.each([
  ['today', '2026-05-13T00:00+02:00'],
  ['24h', '2026-05-12T10:00+02:00'],
  ['7d', '2026-05-07T00:00+02:00'],
  // Before the clocks were set forward.
  ['90d', '2026-02-13T00:00+01:00'],
  ['unknown', '2026-04-14T00:00+02:00'],
])('%s begins with a day of the zone', (name, from) => {
  expect(of(name)).toEqual({ from: at(from), to: NOW });
});

test('this week and this month are compared with the ones before', () => {
  expect(of('week')).toEqual({ from: at('2026-05-11T00:00+02:00'), to: NOW, compare: 'week' });
  expect(of('month')).toEqual({ from: at('2026-05-01T00:00+02:00'), to: NOW, compare: 'month' });
});

test('the end moves in steps: at midnight it is still the day before', () => {
  const midnight = at('2026-05-14T00:00+02:00');
  expect(of('today', midnight)).toEqual({ from: at('2026-05-13T00:00+02:00'), to: midnight });
});

test('custom days that end when clocks change lack nothing', () => {
  const days = (from: string, to: string) => of('custom', NOW, { from, to });
  expect(days('2026-03-28', '2026-03-29')).toEqual({
    from: at('2026-03-28T00:00+01:00'),
    to: at('2026-03-30T00:00+02:00'),
  });
  expect(days('2025-10-26', '2025-10-26')).toEqual({
    from: at('2025-10-26T00:00+02:00'),
    to: at('2025-10-27T00:00+01:00'),
  });
  expect(days('2026-05-12', '2026-05-20').to).toBe(NOW);
  for (const [from, to] of [
    ['2026-05-12', '2026-05-11'],
    ['', '2026-05-11'],
    ['2027-01-01', '2027-01-02'],
  ] as const) {
    expect(days(from, to)).toEqual(of('30d'));
  }
});
