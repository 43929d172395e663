import { PROVISION } from '../fixture.js';

const [shop] = PROVISION.properties;

const variations = (count) =>
  Array.from({ length: count }, (_, i) => ({ key: `v${i}`, weight: 1, value: `v${i}` }));

const test = (key, count) => ({
  key,
  type: 'text',
  status: 'running',
  hashSeed: `seed-${key}`,
  trafficAllocation: 100,
  variations: variations(count),
  goals: ['signup', 'revenue', 'upgrade'],
});

/** Linear in the length of the text, but with hundreds of states for each character, which no cache holds. */
const NESTED_PATTERN = '[ab]*a[ab]{450}[cd]$';

const patternFlag = {
  key: 'pattern',
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        {
          id: 'nested',
          conditions: [{ attribute: 'note', operator: 'matches', values: [NESTED_PATTERN] }],
          value: true,
        },
      ],
    },
  },
};

/** The property of the other benchmarks, extended for the attacks. */
export const HOSTILE_PROVISION = {
  properties: [
    {
      ...shop,
      splitTests: [...shop.splitTests, test('long-ago', 30), test('hundred', 100)],
      flags: [...shop.flags, patternFlag],
    },
  ],
};
