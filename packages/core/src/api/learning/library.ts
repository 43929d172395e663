import { type Static, Type } from 'typebox';
import { NextCursor, namedObject, nullable, oneOf, PageCursor, PropertyId } from '../common.ts';
import { DECISION_OUTCOMES } from '../provisioned-split-test.ts';
import { MeasuredRuleName } from '../results.ts';

export const LIBRARY_OUTCOMES = [...DECISION_OUTCOMES, 'undecided'] as const;
export type LibraryOutcome = (typeof LIBRARY_OUTCOMES)[number];

const Outcome = (description: string) => oneOf(LIBRARY_OUTCOMES, { description });

export const LibraryQuery = Type.Object({
  propertyId: PropertyId,
  q: Type.Optional(
    Type.String({
      maxLength: 256,
      description:
        'Only tests that contain all of these words, in key, name, hypothesis, description, reason of the decision, tags or owner; of measured rules, in keys and names of flag, environment and rule, and in description, tags and owner of the flag',
    }),
  ),
  outcome: Type.Optional(Outcome('Only tests with this outcome')),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only tests with this tag' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
  cursor: PageCursor,
});
export type LibraryQuery = Static<typeof LibraryQuery>;

const Range = (title: string) =>
  namedObject(title, { estimate: Type.Number(), low: Type.Number(), high: Type.Number() });

const Bounds = namedObject('LibraryInterval', {
  estimate: Type.Number(),
  low: nullable(Type.Number()),
  high: nullable(Type.Number()),
});

const ExpectedEffect = Range('LibraryExpectedEffect');
const ExpectedTotal = Range('LibraryExpectedTotal');

const LibraryEffect = namedObject('LibraryEffect', {
  variation: Type.String(),
  visitors: Type.Integer(),
  finding: oneOf(['better', 'worse', 'inconclusive'], {
    description: '`better` or `worse` than the control, beyond chance',
  }),
  relative: nullable(Bounds),
  absolute: nullable(Bounds),
  expected: nullable(ExpectedEffect),
});

const LibraryFigures = namedObject('LibraryFigures', {
  goal: nullable(
    namedObject('LibraryGoal', {
      goalId: Type.String(),
      name: Type.String(),
      kind: Type.String({ description: '`count`, `revenue` or another kind of outcome' }),
      lowerIsBetter: Type.Boolean(),
    }),
  ),
  visitors: Type.Integer({ description: 'In the latest phase, without crawlers' }),
  healthy: Type.Boolean({ description: 'Whether the figures can be relied on' }),
  effects: Type.Array(LibraryEffect, {
    description:
      'Every variation compared with the control on the primary goal, as in the results of the latest phase. `expected` is the relative effect, shrunk towards the record of the property: what to expect from the variation from now on (with a 95 % interval)',
  }),
  whileRunning: nullable(
    namedObject('LibraryWhileRunning', {
      unit: oneOf(['visitors', 'dollars'], { description: '`visitors`: converted ones' }),
      estimate: Type.Number({
        description:
          'What the visitors of the test brought more than if all of them had seen the control; below 0 is what the test has cost, unless less of the goal is better',
      }),
      low: nullable(Type.Number()),
      high: nullable(Type.Number()),
    }),
  ),
});

const FinishedTest = namedObject('LibraryTest', {
  splitTestKey: Type.String({ description: 'Of a measured rule, what its exposures are stored under' }),
  measuredRule: Type.Optional(MeasuredRuleName),
  name: Type.String({
    description: 'Of a measured rule, the name of the flag, then its environment and the rule',
  }),
  hypothesis: nullable(Type.String({ description: 'What was expected, and why; null for measured rules' })),
  description: nullable(Type.String({ description: 'Of a measured rule, that of the flag' })),
  tags: Type.Array(Type.String(), { description: 'Of a measured rule, those of the flag' }),
  owner: nullable(Type.String()),
  status: oneOf(['stopped', 'archived']),
  outcome: Outcome(
    'That of the decision. Without a decision, a winner counts as `ship`, the control as a winner as `roll-back`, and nothing as `undecided`; so it is for measured rules, which have no recorded decision',
  ),
  decision: nullable(namedObject('LibraryDecision', { reason: Type.String(), decidedAt: Type.Integer() })),
  winner: nullable(Type.String({ description: 'Variation that everybody gets' })),
  control: nullable(Type.String()),
  startedAt: Type.Integer({ description: 'First start' }),
  endedAt: Type.Integer(),
  days: Type.Number({ description: 'From the first start to the end' }),
  phases: Type.Integer({ description: 'Visitors and effects are those of the latest one' }),
  figures: nullable(LibraryFigures),
  words: Type.String(),
});
export type LibraryTest = Static<typeof FinishedTest>;

const ShippedGoal = namedObject('LibraryShippedGoal', {
  goalId: Type.String(),
  name: Type.String(),
  tests: Type.Integer({ description: 'Shipped tests with this primary goal' }),
  observed: Type.Number({
    description:
      'Their observed effects, one after the other; too high, because lucky results are shipped more often',
  }),
  expected: ExpectedTotal,
  words: Type.String(),
});

const LibraryRecord = namedObject('LibraryRecord', {
  finished: Type.Integer({ description: 'All finished tests of the property' }),
  counted: Type.Integer({ description: 'Those that the figures below are from: the latest 50 at most' }),
  pending: Type.Integer({
    description: 'Those that are not counted yet, because it takes long; ask again, what was counted is kept',
  }),
  decided: Type.Integer(),
  shipped: Type.Integer({ description: 'Decided tests that shipped another variation than the control' }),
  better: Type.Integer({ description: 'Tests in which a variation was proven better on the primary goal' }),
  worse: Type.Integer({ description: 'Tests in which one was proven worse, and none better' }),
  inconclusive: Type.Integer(),
  unreliable: Type.Integer({ description: 'Tests with a health problem; they are in none of the figures' }),
  usualEffect: nullable(
    Type.Number({ description: 'Median of the sizes of the observed relative effects, up or down' }),
  ),
  prior: namedObject('LibraryPrior', {
    mean: Type.Number(),
    sd: Type.Number({ description: 'Standard deviation of the true relative effects' }),
    tests: Type.Integer({
      description: 'Finished tests that it was learnt from; with few of them, it is close to what is typical',
    }),
  }),
  usualDays: nullable(Type.Number({ description: 'Median' })),
  usualVisitors: nullable(Type.Number({ description: 'Median' })),
  shippedGoals: Type.Array(ShippedGoal, {
    description:
      'What all shipped tests together are estimated to have brought, by primary goal. It is not measured: the holdout report is what is measured, while tests run',
  }),
  partial: Type.Integer({
    description:
      'Shipped tests that are not in it because they were about an audience, not about all visitors: such as measured rules with conditions, or after other rules',
  }),
  words: Type.String(),
});
export type LibraryRecord = Static<typeof LibraryRecord>;

const EXAMPLE = {
  asOf: 1767225600000,
  record: {
    finished: 1,
    counted: 1,
    pending: 0,
    decided: 1,
    shipped: 1,
    better: 1,
    worse: 0,
    inconclusive: 0,
    unreliable: 0,
    usualEffect: 0.12,
    prior: { mean: 0, sd: 0.1, tests: 0 },
    usualDays: 21,
    usualVisitors: 24031,
    shippedGoals: [
      {
        goalId: 'signup',
        name: 'Sign-ups',
        tests: 1,
        observed: 0.12,
        expected: { estimate: 0.1, low: 0.04, high: 0.17 },
        words:
          '1 shipped test is estimated to have brought +10 % on Sign-ups, between +4 % and +17 % (observed: +12 %).',
      },
    ],
    partial: 0,
    words: '1 of 1 decided test shipped a change (100 %). 1 was proven better, 0 worse.',
  },
  tests: [
    {
      splitTestKey: 'hero',
      name: 'Hero',
      hypothesis: 'A photo of the product helps',
      description: null,
      tags: ['landing'],
      owner: 'ada@shop.example',
      status: 'stopped',
      outcome: 'ship',
      decision: { reason: 'More sign-ups, no harm', decidedAt: 1767000000000 },
      winner: 'photo',
      control: 'plain',
      startedAt: 1765000000000,
      endedAt: 1766814400000,
      days: 21,
      phases: 1,
      figures: {
        goal: { goalId: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false },
        visitors: 24031,
        healthy: true,
        effects: [
          {
            variation: 'photo',
            visitors: 12010,
            finding: 'better',
            relative: { estimate: 0.12, low: 0.05, high: 0.2 },
            absolute: { estimate: 0.012, low: 0.005, high: 0.02 },
            expected: { estimate: 0.1, low: 0.04, high: 0.17 },
          },
        ],
        whileRunning: { unit: 'visitors', estimate: 144, low: 60, high: 240 },
      },
      words: '"photo" did better: +12 %, between +5 % and +20 %. Expect +10 %.',
    },
  ],
  matching: 1,
  nextCursor: null,
};

export const Library = Type.Object(
  {
    asOf: Type.Integer({ description: 'Time of the oldest counts' }),
    record: LibraryRecord,
    tests: Type.Array(FinishedTest, { description: 'Latest end first' }),
    matching: Type.Integer({ description: 'Finished tests that match, on all pages' }),
    nextCursor: NextCursor,
  },
  { title: 'Library', examples: [EXAMPLE] },
);
export type Library = Static<typeof Library>;
