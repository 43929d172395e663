import { DAY_MS } from '@switchyard/core/time';
import { describe, expect, test } from 'vitest';
import type { Flag } from '../../configuration/property/property-configuration.ts';
import { flagUsage, type UsageInput } from './flag-usage.ts';

const NOW = 1_800_000_000_000;
const daysAgo = (days: number) => NOW - days * DAY_MS;

const flag = (key: string, createdAt: number, prerequisite?: string): Flag => ({
  id: key,
  key,
  name: key,
  tags: [],
  owner: null,
  type: 'boolean',
  defaultValue: false,
  createdAt,
  version: 1,
  configurations: [
    {
      id: `${key}-production`,
      environmentId: 'production',
      enabled: true,
      value: true,
      rules: [],
      prerequisites: prerequisite === undefined ? [] : [{ flag: prerequisite, value: true }],
    },
  ],
});

function usageOf(input: Partial<UsageInput>) {
  const flags = input.flags ?? [flag('f', daysAgo(100))];
  const [usage] = flagUsage({
    flags,
    allFlags: flags,
    environments: [{ id: 'production', createdAt: daysAgo(200) }],
    totals: [],
    latest: [],
    countingSince: daysAgo(90),
    now: NOW,
    ...input,
  });
  return usage!.environments[0]!;
}

const latest = (since: number, lastAt: number) => [
  { environmentId: 'production', flagKey: 'f', value: 'true', since, lastAt },
];

describe('stale', () => {
  const rows: { name: string; input: Partial<UsageInput>; stale: unknown }[] = [
    {
      name: 'the same value for everybody for 30 days',
      input: { latest: latest(daysAgo(31), daysAgo(1)) },
      stale: { reason: 'same_value', since: daysAgo(31) },
    },
    {
      name: 'another value within the 30 days',
      input: { latest: latest(daysAgo(29), daysAgo(1)) },
      stale: null,
    },
    {
      name: 'not evaluated for 30 days',
      input: { latest: latest(daysAgo(60), daysAgo(40)) },
      stale: { reason: 'not_evaluated', since: daysAgo(40) },
    },
    {
      name: 'never evaluated',
      input: {},
      stale: { reason: 'not_evaluated', since: daysAgo(90) },
    },
    { name: 'a young flag', input: { flags: [flag('f', daysAgo(29))] }, stale: null },
    {
      name: 'a young flag that has one value',
      input: { flags: [flag('f', daysAgo(29))], latest: latest(daysAgo(29), daysAgo(1)) },
      stale: null,
    },
    { name: 'young counting', input: { countingSince: daysAgo(29) }, stale: null },
    {
      name: 'a young environment',
      input: { environments: [{ id: 'production', createdAt: daysAgo(29) }] },
      stale: null,
    },
    {
      name: 'a flag that another one depends on',
      input: { allFlags: [flag('f', daysAgo(100)), flag('g', daysAgo(100), 'f')] },
      stale: null,
    },
    {
      name: 'a flag created again under the same key',
      input: { flags: [flag('f', daysAgo(35))], latest: latest(daysAgo(80), daysAgo(1)) },
      stale: { reason: 'same_value', since: daysAgo(35) },
    },
  ];
  test.each(rows)('$name: $stale', ({ input, stale }) => {
    expect(usageOf(input).stale).toEqual(stale);
  });
});

test('lists values by frequency, with the remaining ones last', () => {
  const total = (value: string, count: number) => ({
    environmentId: 'production',
    flagKey: 'f',
    value,
    count,
    lastAt: daysAgo(count),
  });
  const usage = usageOf({
    totals: [total('', 9), total('"b"', 2), total('"a"', 5)],
    latest: latest(daysAgo(3), daysAgo(2)),
  });
  expect(usage).toMatchObject({ evaluations: 16, lastEvaluatedAt: daysAgo(2) });
  expect(usage.values).toEqual([
    { value: 'a', count: 5, lastAt: daysAgo(5) },
    { value: 'b', count: 2, lastAt: daysAgo(2) },
    { value: null, count: 9, lastAt: daysAgo(9) },
  ]);
});
