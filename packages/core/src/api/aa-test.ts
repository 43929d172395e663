import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf, PropertyId } from './common.ts';

/** The setting of a property. */
export const AaTestMode = oneOf(['off', 'assignment', 'exposures'], {
  description:
    'Built-in A/A test. `assignment`: visitors are assigned while they are counted, without any events. `exposures`: the split test `aa-test` is published and its exposures are counted. Default: `assignment`',
});
export type AaTestMode = Static<typeof AaTestMode>;

export const AaTestQuery = Type.Object({ propertyId: PropertyId });
export type AaTestQuery = Static<typeof AaTestQuery>;

const roundMembers = {
  number: Type.Integer({ description: 'Rounds of 28 days, counted from the Unix epoch' }),
  startedAt: Type.Integer({ description: 'Unix milliseconds, midnight UTC' }),
  endsAt: Type.Integer({ description: 'Start of the next round' }),
};

const verdictMembers = {
  verdict: oneOf(['sound', 'alarm', 'collecting'], {
    title: 'AaTestVerdict',
    description:
      '`sound`: the split is even and no goal differs. `alarm`: the split is off, a goal differs, or exposures are missing. `collecting`: too little data',
  }),
  words: Type.String({ description: 'The verdict as text, with what to check' }),
  visitors: Type.Array(Type.Integer(), { description: 'Of the variations `a` and `b`' }),
};

const AaTestEvaluation = namedObject('AaTestEvaluation', {
  at: Type.Integer({ description: 'Midnight UTC; everything before it was counted' }),
  round: Type.Integer(),
  mode: oneOf(['assignment', 'exposures']),
  ...verdictMembers,
  splitPValue: nullable(
    Type.Number({ description: 'P-value of the split; null if there are too few visitors' }),
  ),
  goals: Type.Array(
    namedObject('AaTestGoal', {
      goalId: Type.String(),
      pValue: nullable(
        Type.Number({
          description:
            'Valid at any time, and corrected for the number of goals; null if there are too few conversions',
        }),
      ),
    }),
  ),
});

const EVALUATION: Static<typeof AaTestEvaluation> = {
  at: 1767225600000,
  round: 730,
  mode: 'assignment',
  verdict: 'sound',
  words: 'Sound: 12,300 visitors were split 50.1 % to 49.9 %, and the goal does not differ.',
  visitors: [6162, 6138],
  splitPValue: 0.83,
  goals: [{ goalId: 'signup', pValue: 1 }],
};

export const AaTest = Type.Object(
  {
    mode: AaTestMode,
    round: namedObject('AaTestRound', roundMembers),
    current: nullable(AaTestEvaluation),
    rounds: Type.Array(
      namedObject('AaTestRoundVerdict', {
        ...roundMembers,
        finished: Type.Boolean(),
        ...verdictMembers,
        alarmDays: Type.Integer({ description: 'Days on which the verdict was `alarm`' }),
      }),
      { description: 'The last verdict of each round, newest first' },
    ),
    history: Type.Array(AaTestEvaluation, { description: 'By day, newest first; at most 400 days' }),
    summary: Type.String(),
  },
  {
    title: 'AaTest',
    examples: [
      {
        mode: 'assignment',
        round: { number: 730, startedAt: 1766016000000, endsAt: 1768435200000 },
        current: EVALUATION,
        rounds: [
          {
            number: 730,
            startedAt: 1766016000000,
            endsAt: 1768435200000,
            finished: false,
            verdict: EVALUATION.verdict,
            words: EVALUATION.words,
            visitors: EVALUATION.visitors,
            alarmDays: 0,
          },
        ],
        history: [EVALUATION],
        summary: 'No round has finished yet.',
      },
    ],
  },
);
export type AaTest = Static<typeof AaTest>;
