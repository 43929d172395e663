import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf, TimeZoneName } from './common.ts';
import { DecisionRuleReport } from './decision/decision-rule.ts';
import { DECISION_RULE_EXAMPLE } from './decision/decision-rule-example.ts';
import {
  GOAL_METRIC_NAMES,
  MEASURED_METRIC_NAMES,
  METRIC_FORMAT,
  MeasuredVariation,
  measuredMembers,
} from './results/measured-results.ts';
import { RESULTS_EXAMPLE } from './results/results-example.ts';

/** Where a measured rule is. */
export const MeasuredRuleName = namedObject('MeasuredRuleName', {
  flagKey: Type.String(),
  environment: Type.String(),
  ruleId: Type.String(),
});
export type MeasuredRuleName = Static<typeof MeasuredRuleName>;

const free = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });

export const ResultsBundle = Type.Object(
  {
    format: Type.String(),
    engineVersion: Type.Integer({ description: 'Version of the computation' }),
    exportedAt: Type.Integer(),
    propertyId: Type.String(),
    definition: free('The split test with all its phases'),
    decisionRule: Type.Optional(DecisionRuleReport),
    phase: nullable(Type.Integer({ description: 'The phase that was counted' })),
    method: free('The statistics settings'),
    input: free('The input of the computation: counts, goals, weights, method'),
    results: free('The computed results'),
  },
  {
    title: 'ResultsBundle',
    description: 'A reproducible report',
    examples: [
      {
        format: 'switchyard-report',
        engineVersion: 1,
        exportedAt: 1767225600000,
        propertyId: 'shop',
        definition: { key: 'hero' },
        decisionRule: DECISION_RULE_EXAMPLE,
        phase: 1,
        method: { engine: 'sequential' },
        input: {},
        results: {},
      },
    ],
  },
);

export const EffectInterval = nullable(
  namedObject('EffectInterval', {
    estimate: Type.Number(),
    low: nullable(
      Type.Number({ description: 'Null if unknown, or if a relative change has no lower limit' }),
    ),
    high: nullable(
      Type.Number({ description: 'Null if unknown, or if a relative change has no upper limit' }),
    ),
  }),
);

const VariationResult = namedObject('VariationResult', {
  key: Type.String(),
  n: Type.Integer({
    description:
      'Visitors; for `option-share`, those who answered; for metrics, those whose window is over, and for `quantile` those of them with values',
  }),
  mean: nullable(Type.Number()),
  absolute: EffectInterval,
  relative: EffectInterval,
  pValue: nullable(Type.Number()),
  adjustedPValue: nullable(Type.Number({ description: 'Corrected for several goals and variations' })),
  chanceToBeat: nullable(Type.Number()),
  expectedLoss: nullable(Type.Number()),
});

export const Metric = namedObject('MetricResult', {
  metric: oneOf([...GOAL_METRIC_NAMES, ...MEASURED_METRIC_NAMES]),
  format: Type.Optional(METRIC_FORMAT),
  step: Type.Optional(
    Type.Integer({
      description:
        'Only of `step-rate`: the step of the funnel, from 1 on. `n` are the visitors who reached the step before, and `mean` is the share of them who reached this one',
    }),
  ),
  decides: Type.Boolean({ description: 'The verdict is based on this metric' }),
  variations: Type.Array(VariationResult, {
    description: 'Each compared with the control; null for the control itself',
  }),
});

const Sums = namedObject('MetricSums', {
  sum: Type.Number(),
  sumSquares: Type.Number(),
  covariateSum: Type.Number(),
  covariateSumSquares: Type.Number(),
  covariateProduct: Type.Number(),
});

const GoalCounts = namedObject('GoalCounts', {
  key: Type.String({ description: 'The variation' }),
  visitors: Type.Integer(),
  converted: Type.Integer({
    description:
      'Visitors with more conversions than reversals; for revenue goals, visitors with a positive net amount; for feedback, visitors who answered or chose the option',
  }),
  answered: Type.Optional(
    Type.Integer({ description: 'Visitors who answered, with any option; only for feedback' }),
  ),
  conversions: Sums,
  amount: Sums,
  convertedAmount: Type.Number({ description: 'Dollars from converted visitors' }),
  convertedCovariate: Type.Number(),
});

const GUARDRAIL_STATE = oneOf(['harmed', 'safe', 'open'], {
  description:
    '`harmed`: it got worse, beyond chance. `safe`: harm beyond `maxHarm` is excluded. `open`: not enough data for either',
});

const goalMembers = {
  goalId: Type.String({
    description:
      'For feedback, `feedback:` with the feedback type, followed by `:` and the option if there is one; for metrics, `metric:` with the id',
  }),
  name: Type.String(),
  kind: oneOf(['count', 'revenue', 'feedback', 'metric']),
  feedbackTypeId: Type.Optional(Type.String({ description: 'Only for feedback' })),
  option: Type.Optional(
    nullable(Type.String({ description: 'Only for feedback; null: whether visitors answered at all' })),
  ),
  ...measuredMembers,
  role: oneOf(['primary', 'secondary', 'guardrail']),
  lowerIsBetter: Type.Boolean(),
};

const GoalResult = namedObject('GoalResult', {
  ...goalMembers,
  state: Type.Optional(GUARDRAIL_STATE),
  maxHarm: Type.Optional(
    Type.Number({ description: 'Only for guardrails: the harm to exclude, relative to the control' }),
  ),
  counts: Type.Array(GoalCounts, { description: 'Empty for metrics, which have `measured`' }),
  pending: Type.Optional(
    Type.Integer({
      description:
        'Only of metrics: visitors, without those of retired variations, who are not counted yet because their window is not over',
    }),
  ),
  measured: Type.Optional(
    Type.Array(MeasuredVariation, {
      description: 'Only of metrics: what was counted, in the order of the variations',
    }),
  ),
  metrics: Type.Array(Metric),
});

const PhaseSummary = namedObject('PhaseSummary', {
  number: Type.Integer(),
  startedAt: Type.Integer({ description: 'Of a scheduled start, the planned time' }),
  servedFrom: Type.Optional(
    Type.Integer({
      description:
        'When visitors got it in fact, if no server ran at the planned time; after `endedAt`: nobody did',
    }),
  ),
  endedAt: nullable(Type.Integer()),
  reasons: Type.Array(Type.String(), { description: 'Why the phase was started' }),
});

export const Verdict = namedObject('Verdict', {
  decision: oneOf(['ship', 'roll-back', 'no-difference', 'keep-going', 'collecting', 'unhealthy']),
  reason: nullable(
    oneOf([
      'primary',
      'guardrail',
      'open-guardrail',
      'within-smallest-effect',
      'planned-end',
      'futility',
      'not-significant',
      'before-planned-end',
    ]),
  ),
  variation: Type.String(),
  words: Type.String({ description: 'Explanation in plain words: the sentences below as one text' }),
  sentences: namedObject('VerdictSentences', {
    decision: Type.String(),
    primary: Type.String({ description: 'Values, uplift and interval of the primary goal' }),
    guardrails: Type.String({ description: 'Empty if the test has none, or is unhealthy' }),
    next: Type.String({ description: 'What to do next' }),
  }),
  improvement: EffectInterval,
  unit: oneOf(['relative', 'absolute']),
  visitors: Type.Integer({
    description:
      'Visitors of the variation and the control; if the primary goal is a metric, those whose window is over',
  }),
  plannedVisitors: nullable(Type.Integer()),
  collecting: nullable(
    namedObject('CollectingProgress', {
      conversions: Type.Integer({
        description:
          'Converted visitors of the primary goal, in all variations; of a metric, visitors with a value above 0, or with values of a quantile',
      }),
      required: Type.Integer({ description: 'Needed before a first evaluation' }),
    }),
  ),
  daysLeft: nullable(
    Type.Integer({
      description:
        'Likely days until a decision, or while collecting until the first evaluation; null if not in sight',
    }),
  ),
  forecast: nullable(
    namedObject('Forecast', {
      low: Type.Integer({ description: 'The decision probably takes at least this many more days' }),
      high: nullable(Type.Integer({ description: 'And at most this many; null if it may take longer' })),
      median: nullable(Type.Integer()),
      inSight: Type.Boolean({ description: 'False if a decision within `horizonDays` is unlikely' }),
      detectable: nullable(
        Type.Number({ description: 'Smallest relative change that can be found within `horizonDays`' }),
      ),
      horizonDays: Type.Integer(),
    }),
  ),
  guardrails: Type.Array(
    namedObject('GuardrailVerdict', {
      goalId: Type.String(),
      name: Type.String(),
      state: GUARDRAIL_STATE,
      maxHarm: Type.Number({ description: 'The harm to exclude, relative to the control' }),
      improvement: EffectInterval,
      daysLeft: nullable(
        Type.Integer({ description: 'Likely days until an open guardrail is safe; null if not in sight' }),
      ),
    }),
  ),
  harmedGuardrails: Type.Array(Type.String(), { description: 'Names of the guardrails that are harmed' }),
});

const VariationSummary = namedObject('VariationSummary', {
  key: Type.String(),
  weight: Type.Number(),
  retired: Type.Optional(
    Type.Literal(true, {
      description: 'Taken out of the test: still compared, but without a verdict, and not part of the checks',
    }),
  ),
  exposures: Type.Integer(),
  visitors: Type.Integer({
    description:
      'Visitors who saw only this variation; a session without a known visitor counts as a visitor',
  }),
  firstVisitors: Type.Integer({
    description:
      'Visitors who saw this variation first, including those who saw others later; the split is checked with these',
  }),
  bots: Type.Integer({ description: 'Crawlers among the visitors' }),
});

const Breakdown = namedObject('ResultsBreakdown', {
  by: Type.String(),
  words: Type.String({ description: 'Which segments differ from the rest, in words' }),
  differences: Type.Array(
    namedObject('SegmentDifference', {
      value: nullable(Type.String()),
      other: Type.Boolean(),
      variation: Type.String(),
      effect: Type.Number({ description: 'Of the variation on the primary goal, in the segment' }),
      effectElsewhere: Type.Number({ description: 'In all other segments together' }),
      unit: oneOf(['relative', 'absolute']),
      pValue: Type.Number({ description: 'Corrected for the number of segments and variations' }),
    }),
    { description: 'Segments in which the effect differs from the rest, beyond chance' },
  ),
  segments: Type.Array(
    namedObject('BreakdownSegment', {
      value: nullable(
        Type.String({
          description: 'First 200 characters of the value; null for unknown values and for `other`',
        }),
      ),
      other: Type.Boolean({
        description: 'True for the one segment that counts everything beyond the largest segments together',
      }),
      variations: Type.Array(
        namedObject('SegmentVariation', { key: Type.String(), visitors: Type.Integer() }),
      ),
      goals: Type.Array(namedObject('SegmentGoal', { ...goalMembers, metrics: Type.Array(Metric) })),
    }),
    {
      description:
        'The 50 largest segments (fewer if the test has very many variations and goals), then all others as one, and unknown values',
    },
  ),
});

const Series = Type.Array(
  namedObject('SeriesPoint', {
    at: Type.Integer({ description: 'Start of the day, in the time zone of the property' }),
    variations: Type.Array(
      namedObject('SeriesVariation', {
        key: Type.String(),
        newVisitors: Type.Integer({ description: 'New visitors since the previous point' }),
        visitors: Type.Integer({ description: 'Total at the end of the day' }),
      }),
    ),
    goals: Type.Array(
      namedObject('SeriesGoal', {
        ...goalMembers,
        days: Type.Array(
          namedObject('SeriesGoalVariation', {
            key: Type.String(),
            converted: Type.Integer({ description: 'Visitors converted since the previous point' }),
            conversions: Type.Number(),
            amount: Type.Number(),
          }),
        ),
        cumulative: Metric,
      }),
    ),
  }),
  {
    description:
      'One point per day of the phase, at most the last 366 days. A test with very many variations and goals gets fewer points, always including the last day. Events before the first point are part of its totals.',
  },
);

const Feedback = Type.Array(
  namedObject('VariationFeedback', {
    key: Type.String({ description: 'The variation' }),
    options: Type.Array(
      namedObject('FeedbackOptionCount', {
        feedbackTypeId: Type.String(),
        option: Type.String(),
        count: Type.Integer(),
      }),
    ),
    messages: Type.Array(
      namedObject('FeedbackMessage', {
        feedbackTypeId: Type.String(),
        message: Type.String(),
        option: nullable(Type.String()),
        createdAt: Type.Integer(),
      }),
    ),
  }),
);

const REPORT_NOTES = [
  'planned-end',
  'moved-visitors',
  'covariate-imbalance',
  'pending-visitors',
  'metric-settings',
  'quantile-mix',
] as const;

export const SplitTestResults = Type.Object(
  {
    splitTestKey: Type.String({ description: 'Of a measured rule, what its exposures are stored under' }),
    measuredRule: Type.Optional(MeasuredRuleName),
    status: Type.String(),
    winner: nullable(Type.String()),
    asOf: Type.Integer({ description: 'Time of the counts' }),
    phase: nullable(PhaseSummary),
    phases: Type.Array(PhaseSummary),
    method: namedObject('ReportMethod', {
      engine: oneOf(['sequential', 'group-sequential', 'frequentist', 'bayesian'], {
        description: 'The method that was used',
      }),
      spending: oneOf(['obrien-fleming', 'pocock'], { description: 'For `group-sequential`' }),
      alpha: Type.Number(),
      sequentialN: Type.Integer(),
      correction: Type.String(),
      cuped: Type.Boolean(),
      preDays: Type.Integer(),
      winsorize: nullable(Type.Number()),
      prior: nullable(
        namedObject('Prior', {
          mean: Type.Number(),
          sd: Type.Number(),
          tests: Type.Optional(
            Type.Integer({ description: 'The number of finished tests that it was learnt from' }),
          ),
        }),
      ),
      stratify: Type.Array(Type.String()),
      shipWithOpenGuardrails: Type.Boolean(),
      unit: oneOf(['visitor', 'user']),
      attributionDays: Type.Integer(),
      version: Type.Integer({ description: 'Version of the computation' }),
    }),
    plannedShare: nullable(
      Type.Number({ description: 'Visitors as a share of `plannedVisitors`; null without a plan' }),
    ),
    bots: oneOf(['exclude', 'include']),
    variations: Type.Array(VariationSummary),
    mixedVisitors: Type.Integer({
      description: 'Visitors who saw several variations; excluded from all counts',
    }),
    movedVisitors: Type.Integer({
      description: 'Visitors who saw another variation in an earlier phase; excluded from all counts',
    }),
    goals: Type.Array(GoalResult),
    health: namedObject('Health', {
      healthy: Type.Boolean(),
      splitPValue: nullable(
        Type.Number({
          description:
            'Whether the split matches the weights, valid however often it is checked; an alarm below 0.001. Null without visitors',
        }),
      ),
      problems: Type.Array(
        Type.Object(
          { problem: Type.String(), words: Type.String() },
          { title: 'HealthProblem', additionalProperties: true },
        ),
      ),
    }),
    notes: Type.Array(
      Type.Object(
        { note: oneOf(REPORT_NOTES), words: Type.String() },
        { title: 'ReportNote', additionalProperties: true },
      ),
      { description: 'What to know about the figures' },
    ),
    verdict: nullable(Verdict),
    verdicts: Type.Array(Verdict, { description: 'One for each variation except the control' }),
    decisionRule: Type.Optional(DecisionRuleReport),
    wholeTestOnly: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'With `by` or `include=series`: ids of the goals that are left out of `breakdown` and `series`, because metrics are counted for the whole test only. Missing without such goals',
      }),
    ),
    breakdown: Type.Optional(Breakdown),
    timeZone: Type.Optional(TimeZoneName),
    series: Type.Optional(Series),
    feedback: Type.Optional(Feedback),
  },
  { title: 'SplitTestResults', examples: [RESULTS_EXAMPLE] },
);
export type SplitTestResults = Static<typeof SplitTestResults>;
export type ResultsSeries = Static<typeof Series>;
export type ResultsBreakdown = Static<typeof Breakdown>;
