import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf, PropertyId } from './common.ts';
import { Metric } from './results.ts';

export const HoldoutQuery = Type.Object({
  propertyId: PropertyId,
  fresh: Type.Optional(Type.Boolean({ description: 'Ignores the cache and counts again; see `asOf`' })),
});
export type HoldoutQuery = Static<typeof HoldoutQuery>;

const GroupKey = oneOf(['held-out', 'others'], {
  title: 'HoldoutGroupKey',
  description: '`held-out`: excluded from all split tests. `others`: everybody else',
});

const HoldoutGroup = namedObject('HoldoutGroup', {
  key: GroupKey,
  weight: Type.Number({
    description:
      'Percentage of all visitors; visitors whom a smaller holdout has released are in neither group',
  }),
  visitors: Type.Integer({
    description: 'Visitors with a session since the holdout began, without crawlers',
  }),
});

const HoldoutCounts = namedObject('HoldoutCounts', {
  key: GroupKey,
  visitors: Type.Integer(),
  converted: Type.Integer({
    description:
      'Visitors with more conversions than reversals; for revenue goals, visitors with a positive net amount',
  }),
  conversions: Type.Number({ description: 'Conversions minus reversals' }),
  amount: Type.Number({ description: 'Dollars' }),
});

const HoldoutGoal = namedObject('HoldoutGoal', {
  goalId: Type.String(),
  name: Type.String(),
  kind: oneOf(['count', 'revenue']),
  lowerIsBetter: Type.Boolean(),
  finding: oneOf(['better', 'worse', 'unclear', 'collecting', 'unhealthy'], {
    title: 'HoldoutFinding',
    description:
      '`better` or `worse`: visitors outside of the holdout do so, beyond chance. `unclear`: it could still be chance. `collecting`: too few conversions for a comparison. `unhealthy`: the visitors are not split as planned',
  }),
  words: Type.String({ description: 'The finding as a sentence' }),
  collecting: nullable(
    namedObject('HoldoutProgress', {
      conversions: Type.Integer({ description: 'Converted visitors of both groups' }),
      required: Type.Integer({ description: 'Needed before a first comparison' }),
    }),
  ),
  counts: Type.Array(HoldoutCounts),
  metrics: Type.Array(Metric, {
    description:
      'As in the results of a split test, with `held-out` as the control and `others` as the variation. P-values are corrected for the number of goals (Holm)',
  }),
});

const WinningTest = namedObject('WinningTest', {
  splitTestKey: Type.String(),
  name: Type.String(),
  winner: Type.String({
    description: 'Key of the variation that everybody gets, also the visitors of the holdout',
  }),
  decidedAt: Type.Integer({ description: 'When the decision was recorded, else when the test was stopped' }),
});

const EXAMPLE = {
  percentage: 5,
  since: 1760000000000,
  asOf: 1767225600000,
  share: 1,
  method: { engine: 'sequential', alpha: 0.05, sequentialN: 5000, correction: 'holm' },
  summary: 'Visitors outside of the holdout do better on Sign-ups (+21 %).',
  groups: [
    { key: 'held-out', weight: 5, visitors: 5012 },
    { key: 'others', weight: 95, visitors: 94988 },
  ],
  health: { healthy: true, problems: [] },
  goals: [
    {
      goalId: 'signup',
      name: 'Sign-ups',
      kind: 'count',
      lowerIsBetter: false,
      finding: 'better',
      words: 'Visitors outside of the holdout convert 21 % more, between +3.6 % and +38 %.',
      collecting: null,
      counts: [
        { key: 'held-out', visitors: 5012, converted: 501, conversions: 510, amount: 0 },
        { key: 'others', visitors: 94988, converted: 11490, conversions: 11702, amount: 0 },
      ],
      metrics: [],
    },
  ],
  winners: [{ splitTestKey: 'hero', name: 'Hero', winner: 'b', decidedAt: 1765000000000 }],
};

export const HoldoutReport = Type.Object(
  {
    percentage: Type.Number({ description: 'Percentage of visitors in the holdout; 0 without a holdout' }),
    since: nullable(
      Type.Integer({
        description:
          'Since when these visitors are held out, Unix milliseconds: a larger holdout or another `hashSeed` starts anew, a smaller holdout does not. Null without a holdout',
      }),
    ),
    asOf: Type.Integer({ description: 'Time of the counts' }),
    share: Type.Number({
      description: 'Share of the visitors that were counted: 1, or less for a random sample',
    }),
    method: namedObject('HoldoutMethod', {
      engine: oneOf(['sequential'], { description: 'Results can be checked at any time' }),
      alpha: Type.Number(),
      sequentialN: Type.Integer(),
      correction: oneOf(['holm']),
    }),
    summary: Type.String(),
    groups: Type.Array(HoldoutGroup, { description: 'Empty without a holdout' }),
    health: namedObject('HoldoutHealth', {
      healthy: Type.Boolean(),
      problems: Type.Array(
        namedObject('HoldoutProblem', {
          problem: oneOf(['sample-ratio-mismatch']),
          pValue: Type.Number(),
          words: Type.String(),
        }),
      ),
    }),
    goals: Type.Array(HoldoutGoal, { description: 'The goals of the property, at most the first 100' }),
    winners: Type.Array(WinningTest, {
      description:
        'Tests that ended with a winner since then, newest first, at most 100. From the end of a test on, the groups get the same from it',
    }),
  },
  { title: 'HoldoutReport', examples: [EXAMPLE] },
);
export type HoldoutReport = Static<typeof HoldoutReport>;
