import { type Static, Type } from 'typebox';
import { nullable, oneOf } from './common.ts';
import { noExtraFields } from './provisioning-fields.ts';

/** How a property judges its split tests; what is left out stays as it is. */
export const ProvisionedStatistics = Type.Object(
  {
    engine: Type.Optional(
      oneOf(['sequential', 'frequentist', 'bayesian'], {
        description:
          '`sequential` unless said: results may be looked at every day. `frequentist`: once, at the planned sample size. `bayesian`: chance to beat the control',
      }),
    ),
    alpha: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 0.2,
        description: 'Accepted rate of false alarms; 0.05 unless said',
      }),
    ),
    sequentialN: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Sample size at which sequential intervals are tightest; 5000 unless said',
      }),
    ),
    correction: Type.Optional(
      oneOf(['none', 'holm', 'benjamini-hochberg'], {
        description: 'For looking at several goals and variations at once; `holm` unless said',
      }),
    ),
    cuped: Type.Optional(
      Type.Boolean({
        description: 'Less variance with what visitors did before the test; `false` unless said',
      }),
    ),
    preDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'Days before the first exposure that `cuped` looks at; 14 unless said',
      }),
    ),
    winsorize: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0.5,
          exclusiveMaximum: 1,
          description:
            'Quantile above which amounts count as that quantile; null, the default, counts them in full',
        }),
      ),
    ),
    prior: Type.Optional(
      nullable(
        Type.Object(
          { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }) },
          {
            ...noExtraFields,
            description: 'Normal prior of the relative effect, for `bayesian`; null, the default, is flat',
          },
        ),
      ),
    ),
  },
  noExtraFields,
);

export type StatisticsSettings = Required<Static<typeof ProvisionedStatistics>>;

export const DEFAULT_STATISTICS: Readonly<StatisticsSettings> = Object.freeze({
  engine: 'sequential',
  alpha: 0.05,
  sequentialN: 5000,
  correction: 'holm',
  cuped: false,
  preDays: 14,
  winsorize: null,
  prior: null,
});
