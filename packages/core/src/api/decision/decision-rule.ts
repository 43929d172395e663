import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../common.ts';
import { ProvisionedStatistics, type StatisticsSettings } from '../statistics.ts';

const ruleGoal = {
  id: Type.String({ description: 'As `goalId` in results' }),
  name: Type.String({ description: 'Its name when the rule was fixed' }),
  kind: oneOf(['count', 'revenue', 'feedback', 'metric']),
  measure: Type.Optional(
    Type.String({ description: 'Only for metrics: what is compared, as `metric` in results' }),
  ),
  quantile: Type.Optional(Type.Number({ description: 'Only for quantiles' })),
  withinDays: Type.Optional(
    nullable(
      Type.Integer({
        description: 'Only for metrics: how long each visitor is followed; null: until the end',
      }),
    ),
  ),
  fromDay: Type.Optional(
    Type.Integer({
      description:
        'Only for retention: the first day after the exposure; `withinDays` ends with the last one. Missing in rules of earlier versions',
    }),
  ),
  goalName: Type.Optional(
    Type.String({
      description:
        'Only for retention of a goal: its name when the rule was fixed. Otherwise, any visit counts',
    }),
  ),
  option: Type.Optional(nullable(Type.String({ description: 'Only for feedback; null: any answer' }))),
  lowerIsBetter: Type.Boolean(),
};

const RuleGoal = namedObject('DecisionRuleGoal', ruleGoal);
const RuleGuardrail = namedObject('DecisionRuleGuardrail', {
  ...ruleGoal,
  maxHarm: Type.Number({ description: 'The harm to exclude, relative to the control' }),
});
export type RuleGoal = Static<typeof RuleGoal>;
export type RuleGuardrail = Static<typeof RuleGuardrail>;

const Rule = namedObject('DecisionRule', {
  primary: nullable(RuleGoal),
  secondary: Type.Array(RuleGoal, { description: 'Shown, but decides nothing' }),
  guardrails: Type.Array(RuleGuardrail),
  variations: Type.Array(Type.String(), {
    description: 'Keys of what is compared, the control first; without retired variations',
  }),
  smallestEffect: nullable(Type.Number({ description: 'Relative change of the primary goal' })),
  plannedVisitors: nullable(Type.Integer()),
  unit: oneOf(['visitor', 'user']),
  attributionDays: Type.Integer(),
  onHarm: Type.Optional(
    Type.Literal('stop', { description: 'Missing unless harm is stopped automatically' }),
  ),
  statistics: ProvisionedStatistics,
});

/** Everything that decides about a split test, with defaults filled in. */
export type DecisionRule = Omit<Static<typeof Rule>, 'statistics'> & { statistics: StatisticsSettings };

export const FixedDecisionRule = Type.Object(
  {
    fixedAt: Type.Integer({ description: 'Start of the first phase; Unix milliseconds' }),
    rule: Rule,
  },
  {
    title: 'FixedDecisionRule',
    description:
      'What decided about the test when it started; missing for drafts, and for tests that started before rules were fixed',
  },
);
/** The rule that was in force when a test started. */
export interface FixedDecisionRule {
  fixedAt: number;
  rule: DecisionRule;
}

/** Settings of the property that may decide. The method stands for the engine, because `auto` becomes another with a plan. */
export const RULE_STATISTICS = [
  'spending',
  'alpha',
  'sequentialN',
  'correction',
  'cuped',
  'preDays',
  'winsorize',
  'prior',
  'stratify',
  'shipWithOpenGuardrails',
] as const;

const RULE_SETTINGS = [
  'primary',
  'secondary',
  'guardrails',
  'variations',
  'smallestEffect',
  'plannedVisitors',
  'unit',
  'attributionDays',
  'onHarm',
  'method',
  ...RULE_STATISTICS,
] as const;

const RuleChange = namedObject('DecisionRuleChange', {
  what: oneOf(RULE_SETTINGS),
  goalId: Type.Optional(
    Type.String({ description: 'For `primary`, `secondary` and `guardrails`: the goal that changed' }),
  ),
  before: Type.Unknown({ description: 'When the rule was fixed; null: nothing' }),
  after: Type.Unknown({ description: 'Now; null: nothing' }),
  words: Type.String({ description: 'Such as `Smallest effect: 2 % → 5 %`' }),
  at: nullable(
    Type.Integer({
      description: 'When it was last changed; null if the history does not say, or cannot be read at present',
    }),
  ),
  by: Type.Optional(Type.String({ description: 'Who changed it last, by the history' })),
});
export type RuleChange = Static<typeof RuleChange>;

export const DecisionRuleReport = namedObject('DecisionRuleReport', {
  state: oneOf(['fixed', 'not-started', 'started-before'], {
    description:
      '`not-started`: the rule is fixed at the start. `started-before`: the test started before rules were fixed. In both cases, `rule` is what applies now',
  }),
  fixedAt: nullable(Type.Integer()),
  rule: Rule,
  sentences: Type.Array(Type.String(), { description: 'The rule in words, one sentence each' }),
  changes: Type.Array(RuleChange, { description: 'What was changed after the start' }),
  words: Type.String({ description: 'Whether the rule is fixed, and what was changed after the start' }),
  incomplete: Type.Optional(
    Type.String({
      description:
        'Only while the history of changes cannot be read: says that `at` and `by` of the changes are missing',
    }),
  ),
});
export interface DecisionRuleReport extends Omit<Static<typeof DecisionRuleReport>, 'rule' | 'changes'> {
  rule: DecisionRule;
  changes: RuleChange[];
}
