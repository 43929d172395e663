import { type Static, Type } from 'typebox';
import { nullable, oneOf } from './common.ts';
import { closed } from './provisioning-fields.ts';

/** The statistics settings of a property; omitted fields stay unchanged. */
export const ProvisionedStatistics = Type.Object(
  {
    engine: Type.Optional(
      oneOf(['auto', 'sequential', 'group-sequential', 'frequentist', 'bayesian'], {
        description:
          '`auto` (default): `group-sequential` for tests with `plannedVisitors`, `sequential` for others. `sequential`: results can be checked at any time, without a planned end. `group-sequential`: results can be checked every day until the planned number of visitors; without `plannedVisitors`, `sequential` is used. `frequentist`: results are valid once, at the planned number of visitors. `bayesian`: chance to beat the control',
      }),
    ),
    spending: Type.Optional(
      oneOf(['obrien-fleming', 'pocock'], {
        description:
          'How `group-sequential` spends the false positive rate: `obrien-fleming` (default) late, `pocock` evenly, which finds large effects earlier and small ones less often',
      }),
    ),
    alpha: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 0.2,
        description: 'Accepted false positive rate; default: 0.05',
      }),
    ),
    sequentialN: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Sample size at which sequential intervals are tightest; default: 5000',
      }),
    ),
    correction: Type.Optional(
      oneOf(['none', 'holm', 'benjamini-hochberg'], {
        description: 'Correction for several goals and variations; default: `holm`',
      }),
    ),
    cuped: Type.Optional(
      Type.Boolean({
        description: 'Reduces variance with pre-test data of the visitors; default: `false`',
      }),
    ),
    preDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'Days before the first exposure that `cuped` uses; default: 14',
      }),
    ),
    winsorize: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0.5,
          exclusiveMaximum: 1,
          description: 'Quantile at which amounts are capped; default: null (not capped)',
        }),
      ),
    ),
    prior: Type.Optional(
      nullable(
        Type.Object(
          { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }) },
          {
            ...closed('StatisticsPrior'),
            description:
              'Normal prior of the relative effect, for `bayesian`; default: null, which learns it from the finished tests of the property, if there are at least 8 (before that: mean 0, sd 0.1)',
          },
        ),
      ),
    ),
    stratify: Type.Optional(
      Type.Array(oneOf(['country', 'device']), {
        uniqueItems: true,
        maxItems: 2,
        description:
          'Compares visitors of the same country or device, then combines these groups, which reduces variance; default: none',
      }),
    ),
    shipWithOpenGuardrails: Type.Optional(
      Type.Boolean({
        description:
          'Whether the verdict can be "ship" while a guardrail does not have enough data yet; default: `false`',
      }),
    ),
  },
  closed('ProvisionedStatistics'),
);

export type StatisticsSettings = Required<Static<typeof ProvisionedStatistics>>;

export const DEFAULT_STATISTICS: Readonly<StatisticsSettings> = Object.freeze({
  engine: 'auto',
  spending: 'obrien-fleming',
  alpha: 0.05,
  sequentialN: 5000,
  correction: 'holm',
  cuped: false,
  preDays: 14,
  winsorize: null,
  prior: null,
  stratify: [],
  shipWithOpenGuardrails: false,
});
