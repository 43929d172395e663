import { type Static, Type } from 'typebox';
import { EntityKey, nullable, oneOf, PropertyId } from './common.ts';

const Phase = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Phase number; default: the latest',
  }),
);

export const SplitTestResultsQuery = Type.Object({
  propertyId: PropertyId,
  splitTestKey: EntityKey,
  phase: Phase,
  fresh: Type.Optional(Type.Boolean({ description: 'Ignores the cache and counts again; see `asOf`' })),
  bots: Type.Optional(
    oneOf(['exclude', 'include'], { description: 'Whether crawlers count; default: `exclude`' }),
  ),
  by: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Adds `breakdown`: results by an attribute of the first exposure, or by `country`, `device`, `browser` or `os`. The name is taken literally',
    }),
  ),
  include: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^(series|feedback)(,(series|feedback))*$',
      description:
        '`series` (results by day), `feedback` (feedback by variation), or both, separated by a comma',
    }),
  ),
});
export type SplitTestResultsQuery = Static<typeof SplitTestResultsQuery>;

export const ResultsExportQuery = Type.Object({
  propertyId: PropertyId,
  splitTestKey: EntityKey,
  phase: Phase,
  bots: Type.Optional(oneOf(['exclude', 'include'])),
  format: Type.Optional(
    oneOf(['csv', 'bundle'], {
      description:
        '`csv`: the counts. `bundle` (default): everything that `switchyard verify` needs to recompute the results',
    }),
  ),
});
export type ResultsExportQuery = Static<typeof ResultsExportQuery>;

const free = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });

export const ResultsBundle = Type.Object(
  {
    format: Type.String(),
    engineVersion: Type.Integer({ description: 'Version of the computation' }),
    exportedAt: Type.Integer(),
    propertyId: Type.String(),
    definition: free('The split test with all its phases'),
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
        ...{ format: 'switchyard-report', engineVersion: 1, exportedAt: 1767225600000, propertyId: 'shop' },
        ...{
          definition: { key: 'hero' },
          phase: 1,
          method: { engine: 'sequential' },
          input: {},
          results: {},
        },
      },
    ],
  },
);

const Interval = nullable(
  Type.Object(
    { estimate: Type.Number(), low: nullable(Type.Number()), high: nullable(Type.Number()) },
    { title: 'EffectInterval' },
  ),
);

const VariationResult = Type.Object(
  {
    key: Type.String(),
    n: Type.Integer({ description: 'Visitors' }),
    mean: nullable(Type.Number()),
    absolute: Interval,
    relative: Interval,
    pValue: nullable(Type.Number()),
    adjustedPValue: nullable(Type.Number({ description: 'Corrected for several goals and variations' })),
    chanceToBeat: nullable(Type.Number()),
    expectedLoss: nullable(Type.Number()),
  },
  { title: 'VariationResult' },
);

const Metric = Type.Object(
  {
    metric: oneOf([
      'conversion-rate',
      'conversions-per-visitor',
      'revenue-per-visitor',
      'revenue-per-converted-visitor',
    ]),
    decides: Type.Boolean({ description: 'The verdict is based on this metric' }),
    variations: Type.Array(VariationResult, {
      description: 'Each compared with the control; null for the control itself',
    }),
  },
  { title: 'MetricResult' },
);

const Sums = Type.Object(
  {
    sum: Type.Number(),
    sumSquares: Type.Number(),
    covariateSum: Type.Number(),
    covariateSumSquares: Type.Number(),
    covariateProduct: Type.Number(),
  },
  { title: 'MetricSums' },
);

const GoalCounts = Type.Object(
  {
    key: Type.String({ description: 'The variation' }),
    visitors: Type.Integer(),
    converted: Type.Integer({
      description:
        'Visitors with more conversions than reversals; for revenue goals, visitors with a positive net amount',
    }),
    conversions: Sums,
    amount: Sums,
    convertedAmount: Type.Number({ description: 'Dollars from converted visitors' }),
    convertedCovariate: Type.Number(),
  },
  { title: 'GoalCounts' },
);

const goalMembers = {
  goalId: Type.String(),
  name: Type.String(),
  kind: oneOf(['count', 'revenue']),
  role: oneOf(['primary', 'secondary', 'guardrail']),
  lowerIsBetter: Type.Boolean(),
};

const GoalResult = Type.Object(
  {
    ...goalMembers,
    counts: Type.Array(GoalCounts),
    metrics: Type.Array(Metric),
  },
  { title: 'GoalResult' },
);

const PhaseSummary = Type.Object(
  {
    number: Type.Integer(),
    startedAt: Type.Integer(),
    endedAt: nullable(Type.Integer()),
    reasons: Type.Array(Type.String(), { description: 'Why the phase was started' }),
  },
  { title: 'PhaseSummary' },
);

const Verdict = Type.Object(
  {
    decision: oneOf(['ship', 'roll-back', 'no-difference', 'keep-going', 'unhealthy']),
    variation: Type.String(),
    words: Type.String({ description: 'Explanation in plain words' }),
    improvement: Interval,
    unit: oneOf(['relative', 'absolute']),
    visitors: Type.Integer({ description: 'Visitors of the variation and the control' }),
    plannedVisitors: nullable(Type.Integer()),
    daysLeft: nullable(Type.Integer({ description: 'Estimated from the current traffic' })),
    harmedGuardrails: Type.Array(Type.String()),
  },
  { title: 'Verdict' },
);

const VariationSummary = Type.Object(
  {
    key: Type.String(),
    weight: Type.Number(),
    exposures: Type.Integer(),
    visitors: Type.Integer({
      description:
        'Visitors who saw only this variation; a session without a known visitor counts as a visitor',
    }),
    bots: Type.Integer({ description: 'Crawlers among the visitors' }),
  },
  { title: 'VariationSummary' },
);

const Breakdown = Type.Object(
  {
    by: Type.String(),
    warning: Type.String(),
    segments: Type.Array(
      Type.Object(
        {
          value: nullable(
            Type.String({
              description: 'First 200 characters of the value; null for unknown values and for `other`',
            }),
          ),
          other: Type.Boolean({
            description:
              'True for the one segment that counts everything beyond the largest segments together',
          }),
          variations: Type.Array(
            Type.Object({ key: Type.String(), visitors: Type.Integer() }, { title: 'SegmentVariation' }),
          ),
          goals: Type.Array(
            Type.Object({ ...goalMembers, metrics: Type.Array(Metric) }, { title: 'SegmentGoal' }),
          ),
        },
        { title: 'BreakdownSegment' },
      ),
      {
        description:
          'The 50 largest segments (fewer if the test has very many variations and goals), then all others as one, and unknown values',
      },
    ),
  },
  { title: 'ResultsBreakdown' },
);

const Series = Type.Array(
  Type.Object(
    {
      at: Type.Integer({ description: 'Start of the day, UTC' }),
      variations: Type.Array(
        Type.Object(
          {
            key: Type.String(),
            newVisitors: Type.Integer({ description: 'New visitors since the previous point' }),
            visitors: Type.Integer({ description: 'Total at the end of the day' }),
          },
          { title: 'SeriesVariation' },
        ),
      ),
      goals: Type.Array(
        Type.Object(
          {
            ...goalMembers,
            days: Type.Array(
              Type.Object(
                {
                  key: Type.String(),
                  converted: Type.Integer({ description: 'Visitors converted since the previous point' }),
                  conversions: Type.Number(),
                  amount: Type.Number(),
                },
                { title: 'SeriesGoalVariation' },
              ),
            ),
            cumulative: Metric,
          },
          { title: 'SeriesGoal' },
        ),
      ),
    },
    { title: 'SeriesPoint' },
  ),
  {
    description:
      'One point per day of the phase, at most the last 366 days. A test with very many variations and goals gets fewer points, always including the last day. Events before the first point are part of its totals.',
  },
);

const Feedback = Type.Array(
  Type.Object(
    {
      key: Type.String({ description: 'The variation' }),
      options: Type.Array(
        Type.Object(
          { feedbackTypeId: Type.String(), option: Type.String(), count: Type.Integer() },
          { title: 'FeedbackOptionCount' },
        ),
      ),
      messages: Type.Array(
        Type.Object(
          {
            feedbackTypeId: Type.String(),
            message: Type.String(),
            option: nullable(Type.String()),
            createdAt: Type.Integer(),
          },
          { title: 'FeedbackMessage' },
        ),
      ),
    },
    { title: 'VariationFeedback' },
  ),
);

const EXAMPLE = {
  splitTestKey: 'hero',
  status: 'running',
  winner: null,
  asOf: 1767225600000,
  phase: { number: 1, startedAt: 1766016000000, endedAt: null, reasons: ['started'] },
  phases: [{ number: 1, startedAt: 1766016000000, endedAt: null, reasons: ['started'] }],
  method: {
    ...{ engine: 'sequential', alpha: 0.05, sequentialN: 5000, correction: 'holm', cuped: false },
    ...{ preDays: 14, winsorize: null, prior: null, attributionDays: 7, version: 1 },
  },
  bots: 'exclude',
  variations: [
    { key: 'control', weight: 50, exposures: 1210, visitors: 1004, bots: 3 },
    { key: 'b', weight: 50, exposures: 1191, visitors: 998, bots: 2 },
  ],
  mixedVisitors: 1,
  goals: [
    {
      ...{ goalId: 'signup', name: 'Sign-ups', kind: 'count', role: 'primary', lowerIsBetter: false },
      counts: [],
      metrics: [
        {
          metric: 'conversion-rate',
          decides: true,
          variations: [
            {
              ...{ key: 'b', n: 998, mean: 0.2 },
              absolute: { estimate: 0.1, low: 0.054, high: 0.152 },
              relative: { estimate: 1.07, low: 0.32, high: 1.81 },
              ...{ pValue: 1.4e-7, adjustedPValue: 1.4e-7, chanceToBeat: null, expectedLoss: null },
            },
          ],
        },
      ],
    },
  ],
  health: { healthy: true, problems: [] },
  verdict: null,
  verdicts: [],
};

export const SplitTestResults = Type.Object(
  {
    splitTestKey: Type.String(),
    status: Type.String(),
    winner: nullable(Type.String()),
    asOf: Type.Integer({ description: 'Time of the counts' }),
    phase: nullable(PhaseSummary),
    phases: Type.Array(PhaseSummary),
    method: Type.Object(
      {
        engine: oneOf(['sequential', 'frequentist', 'bayesian']),
        alpha: Type.Number(),
        sequentialN: Type.Integer(),
        correction: Type.String(),
        cuped: Type.Boolean(),
        preDays: Type.Integer(),
        winsorize: nullable(Type.Number()),
        prior: nullable(Type.Object({ mean: Type.Number(), sd: Type.Number() }, { title: 'Prior' })),
        attributionDays: Type.Integer(),
        version: Type.Integer({ description: 'Version of the computation' }),
      },
      { title: 'ReportMethod' },
    ),
    bots: oneOf(['exclude', 'include']),
    variations: Type.Array(VariationSummary),
    mixedVisitors: Type.Integer({
      description: 'Visitors who saw several variations; excluded from all counts',
    }),
    goals: Type.Array(GoalResult),
    health: Type.Object(
      {
        healthy: Type.Boolean(),
        problems: Type.Array(
          Type.Object(
            { problem: Type.String(), words: Type.String() },
            { title: 'HealthProblem', additionalProperties: true },
          ),
        ),
      },
      { title: 'Health' },
    ),
    verdict: nullable(Verdict),
    verdicts: Type.Array(Verdict, { description: 'One for each variation except the control' }),
    breakdown: Type.Optional(Breakdown),
    series: Type.Optional(Series),
    feedback: Type.Optional(Feedback),
  },
  { title: 'SplitTestResults', examples: [EXAMPLE] },
);
export type SplitTestResults = Static<typeof SplitTestResults>;
export type ResultsSeries = Static<typeof Series>;
export type ResultsBreakdown = Static<typeof Breakdown>;
