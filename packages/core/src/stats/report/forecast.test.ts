import { expect, it } from 'vitest';
import forecasts from '../../cases/stats-forecasts.json' with { type: 'json' };
import type { Method } from '../analysis.ts';
import { forecastOf } from './forecast.ts';

type Input = Parameters<typeof forecastOf>[0];

const [first] = forecasts.cases;

function inputOf({ method, ...given }: (typeof forecasts.cases)[number]['input']): Input {
  const { visitors, plannedVisitors } = given;
  const input = { ...given, method: method as Method };
  if (method !== 'group-sequential' || plannedVisitors === null) return input;
  return { ...input, looks: { fraction: visitors / plannedVisitors, spending: 'obrien-fleming' } };
}

// Reference values of cases/reference_forecasts.py.
it.each(forecasts.cases.map((it, index) => ({ ...it, index })))(
  'forecast $index, $input.method, is as computed in Python',
  ({ input, expected }) => {
    const { detectable, ...forecast } = forecastOf(inputOf(input))!;
    const { detectable: expectedDetectable, ...rest } = expected;
    expect(forecast).toEqual(rest);
    if (expectedDetectable === null) expect(detectable).toBeNull();
    else expect(detectable! / expectedDetectable).toBeCloseTo(1, 9);
  },
);

it('there is no forecast without traffic or without a standard error', () => {
  const input = inputOf(first!.input);
  const traffic = (dailyVisitors: number) => ({ ...input, traffic: { dailyVisitors, uncertainty: 0.1 } });
  expect(forecastOf(traffic(0))).toBeNull();
  expect(forecastOf(traffic(Number.NaN))).toBeNull();
  expect(forecastOf({ ...input, standardError: 0 })).toBeNull();
  expect(forecastOf(traffic(1e-9))).not.toBeNull();
});

it('a group-sequential test with the boundary of Pocock may end earlier', () => {
  const { input } = forecasts.cases.find(({ input }) => input.method === 'group-sequential')!;
  const given = inputOf(input);
  const medianOf = (spending: 'obrien-fleming' | 'pocock') =>
    forecastOf({ ...given, looks: { fraction: 0.25, spending } })!.median!;
  expect(medianOf('obrien-fleming')).toBe(12);
  expect(medianOf('pocock')).toBeLessThan(12);
});
