import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, nullable, oneOf, PropertyId } from '../common.ts';
import { ruleMembers } from '../results/results-queries.ts';
import { MeasuredRuleName } from '../results.ts';

const Fresh = Type.Optional(Type.Boolean({ description: 'Ignores the cache and counts again; see `asOf`' }));

export const OverlapQuery = Type.Object({
  propertyId: PropertyId,
  splitTestKey: EntityKey,
  fresh: Fresh,
});
export type OverlapQuery = Static<typeof OverlapQuery>;

export const FlagOverlapQuery = Type.Object({ ...ruleMembers, fresh: Fresh });
export type FlagOverlapQuery = Static<typeof FlagOverlapQuery>;

const OverlapCell = namedObject('OverlapCell', {
  variation: Type.String({ description: 'What the visitors saw in this test' }),
  otherVariation: Type.String({ description: 'What they saw in the other test' }),
  visitors: Type.Integer(),
  mean: nullable(
    Type.Number({
      description:
        'Value of the metric that decides about the primary goal, such as the conversion rate; null without a goal or visitors',
    }),
  ),
});

const OverlapDifference = namedObject('OverlapDifference', {
  variation: Type.String({ description: 'Variation of this test whose effect differs' }),
  unit: oneOf(['relative', 'absolute'], {
    description: '`relative`: 0.1 is 10 %; `absolute` if the mean of the control is not positive',
  }),
  pValue: Type.Number({ description: 'Corrected for all variations and all other tests' }),
  effects: Type.Array(
    namedObject('OverlapEffect', {
      otherVariation: Type.String(),
      estimate: Type.Number({
        description: 'The effect among visitors who saw this variation of the other test',
      }),
    }),
  ),
});

const OverlapTest = namedObject('OverlapTest', {
  splitTestKey: Type.String({
    description: 'Key of the other test; of a measured rule, what its exposures are stored under',
  }),
  measuredRule: Type.Optional(MeasuredRuleName),
  name: Type.String({
    description: 'Of a measured rule, the name of the flag, then its environment and the rule',
  }),
  status: oneOf(['draft', 'running', 'paused', 'stopped', 'archived']),
  phase: Type.Integer({
    description: 'Phase of the other test that was counted: the one with most time in common',
  }),
  from: Type.Integer({ description: 'Start of the time that both tests have in common' }),
  to: nullable(Type.Integer({ description: 'End of that time; null while both are running' })),
  visitors: Type.Integer({
    description:
      'Visitors in the results of both tests. Crawlers, and visitors who saw several variations of a test, are in neither',
  }),
  share: Type.Number({ description: 'Of the visitors of this test' }),
  finding: oneOf(['none', 'interaction', 'dependent', 'collecting', 'not-compared', 'nobody'], {
    title: 'OverlapFinding',
    description:
      '`none`: no interaction found. `interaction`: the effect differs between the variations of the other test, beyond chance. `dependent`: what visitors see in one test tells what they see in the other. `collecting`: too few visitors to tell. `not-compared`: this test has no second variation, or no goal that is counted by what was seen in other tests: metrics are not. `nobody`: no visitors in both',
  }),
  pValue: nullable(
    Type.Number({
      description:
        'The smallest of this test’s variations, always-valid, corrected for all variations and all other tests (Holm); null if nothing could be compared',
    }),
  ),
  words: Type.String({ description: 'The finding as a sentence' }),
  differences: Type.Array(OverlapDifference, { description: 'Empty unless an interaction was found' }),
  cells: Type.Array(OverlapCell, { description: 'Every combination of variations' }),
});

const EXAMPLE = {
  splitTestKey: 'hero',
  phase: 1,
  asOf: 1767225600000,
  method: { alpha: 0.05, correction: 'holm' },
  summary: 'No interaction found: 1 other test shares visitors with this one.',
  tests: [
    {
      splitTestKey: 'free-shipping',
      name: 'Free shipping',
      status: 'running',
      phase: 1,
      from: 1765000000000,
      to: null,
      visitors: 8120,
      share: 0.62,
      finding: 'none',
      pValue: 1,
      words: 'No interaction found with "Free shipping": 8,120 visitors are in both (62 %).',
      differences: [],
      cells: [
        { variation: 'control', otherVariation: 'control', visitors: 2031, mean: 0.064 },
        { variation: 'b', otherVariation: 'control', visitors: 2040, mean: 0.071 },
        { variation: 'control', otherVariation: 'free', visitors: 2019, mean: 0.068 },
        { variation: 'b', otherVariation: 'free', visitors: 2030, mean: 0.074 },
      ],
    },
  ],
  leftOut: 0,
};

export const OverlapReport = Type.Object(
  {
    splitTestKey: Type.String(),
    measuredRule: Type.Optional(MeasuredRuleName),
    phase: nullable(Type.Integer({ description: 'The latest phase of the test; null before it first ran' })),
    asOf: Type.Integer({ description: 'Time of the oldest counts' }),
    method: namedObject('OverlapMethod', {
      alpha: Type.Number({ description: 'Results can be looked at at any time' }),
      correction: oneOf(['holm']),
    }),
    summary: Type.String(),
    tests: Type.Array(OverlapTest, {
      description: 'Other tests that ran at the same time, most visitors in common first; at most 20',
    }),
    leftOut: Type.Integer({
      description:
        'Further tests that ran at the same time: those with the least time in common, beyond 20 or beyond what can be counted in one request. What was counted is kept for the next request',
    }),
  },
  { title: 'OverlapReport', examples: [EXAMPLE] },
);
export type OverlapReport = Static<typeof OverlapReport>;
