import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from './common.ts';
import { SubmittedFeedback } from './feedback.ts';
import { EffectInterval, MeasuredRuleName, Verdict } from './results.ts';

const PropertyId = Type.String();
/** Of a measured rule, `key` is what its exposures are stored under. `name` is null if there is none. */
const SplitTestName = namedObject('WebhookSplitTest', { key: Type.String(), name: nullable(Type.String()) });

/** Values are left out, because they can be large: the history has them. */
export const ConfigurationChanged = namedObject('ConfigurationChanged', {
  propertyId: PropertyId,
  version: Type.Integer({ description: 'Version of the property after the change' }),
  actor: namedObject('WebhookActor', {
    type: Type.String(),
    id: nullable(Type.String()),
    name: Type.String(),
  }),
  via: Type.String({ description: '`dashboard`, `token`, `cli`, `file`, `schedule` or `monitoring`' }),
  comment: nullable(Type.String()),
  changes: Type.Array(
    namedObject('WebhookChange', {
      historyId: Type.String(),
      entity: namedObject('WebhookEntity', { type: Type.String(), key: Type.String() }),
      action: oneOf(['create', 'update', 'delete']),
      version: Type.Integer({ description: 'Version of the item after the change' }),
      pointers: Type.Array(Type.String(), {
        description: 'The changed fields, as JSON Pointers; at most 50',
      }),
    }),
    { description: 'At most 100' },
  ),
  omittedChanges: Type.Integer({ description: 'Further changes that are only in the history' }),
});
export type ConfigurationChanged = Static<typeof ConfigurationChanged>;

export const VerdictChanged = namedObject('VerdictChanged', {
  propertyId: PropertyId,
  splitTest: SplitTestName,
  measuredRule: Type.Optional(MeasuredRuleName),
  status: Type.String({ description: 'Status of the test' }),
  phase: Type.Integer(),
  previousDecision: nullable(Type.String({ description: 'Null if there was no verdict' })),
  verdict: Verdict,
  changedAfterStart: Type.Array(Type.String(), {
    description:
      'What was changed of the decision rule after the start, in words such as `Smallest effect: 2 % → 5 %`',
  }),
  asOf: Type.Integer({ description: 'Time of the counts' }),
});
export type VerdictChanged = Static<typeof VerdictChanged>;

export const TestUnhealthy = namedObject('TestUnhealthy', {
  propertyId: PropertyId,
  splitTest: SplitTestName,
  measuredRule: Type.Optional(MeasuredRuleName),
  phase: Type.Integer(),
  problems: Type.Array(namedObject('WebhookHealthProblem', { problem: Type.String(), words: Type.String() })),
  asOf: Type.Integer({ description: 'Time of the counts' }),
});
export type TestUnhealthy = Static<typeof TestUnhealthy>;

export const GoalTargetReached = namedObject('GoalTargetReached', {
  propertyId: PropertyId,
  goal: namedObject('WebhookGoal', {
    id: Type.String(),
    name: Type.String(),
    kind: oneOf(['count', 'revenue']),
  }),
  target: namedObject('WebhookTarget', {
    value: Type.Number(),
    period: oneOf(['week', 'month', 'quarter']),
  }),
  total: Type.Number({
    description: 'Net progress of the period: conversions, or dollars for revenue goals',
  }),
  from: Type.Integer({ description: 'Start of the period, UTC' }),
  to: Type.Integer({ description: 'End of the period, exclusive' }),
});
export type GoalTargetReached = Static<typeof GoalTargetReached>;

export const FeedbackSubmitted = namedObject('FeedbackSubmitted', {
  propertyId: PropertyId,
  feedback: SubmittedFeedback,
});
export type FeedbackSubmitted = Static<typeof FeedbackSubmitted>;

export const ScheduleExecuted = namedObject('ScheduleExecuted', {
  propertyId: PropertyId,
  splitTestKey: nullable(Type.String({ description: 'Null if the schedule was that of a rollout' })),
  status: nullable(Type.String({ description: 'Status set by the schedule: `running` or `stopped`' })),
  flagKey: nullable(Type.String({ description: 'The flag whose rollout changed; null for a split test' })),
  at: Type.Integer({ description: 'When it took effect' }),
});
export type ScheduleExecuted = Static<typeof ScheduleExecuted>;

const HarmedGoal = namedObject('WebhookHarmedGoal', {
  goalId: Type.String(),
  name: Type.String(),
  role: oneOf(['primary', 'guardrail']),
  control: nullable(Type.Number({ description: 'Mean of the control' })),
  variation: nullable(Type.Number({ description: 'Mean of the variation' })),
  improvement: EffectInterval,
  unit: oneOf(['relative', 'absolute'], { description: 'Of `improvement`' }),
  maxHarm: nullable(
    Type.Number({ description: 'The accepted harm, relative to the control; null: none is accepted' }),
  ),
});

export const HarmedVariation = namedObject('WebhookHarmedVariation', {
  variation: Type.String(),
  goals: Type.Array(HarmedGoal),
  words: Type.String({ description: 'The figures in words' }),
});
export type HarmedVariation = Static<typeof HarmedVariation>;

export const HarmStopped = namedObject('HarmStopped', {
  propertyId: PropertyId,
  splitTest: nullable(SplitTestName),
  measuredRule: Type.Optional(MeasuredRuleName),
  action: oneOf(['stopped', 'retired', 'rolled-back'], {
    description:
      '`retired`: the variations were taken out, and the test goes on with the others. `rolled-back`: the rollout has the percentage `percentage` again',
  }),
  percentage: Type.Optional(Type.Number({ description: 'Only of rollouts' })),
  phase: Type.Integer(),
  harms: Type.Array(HarmedVariation),
  words: Type.String({ description: 'What was done and why, as in the history' }),
  asOf: Type.Integer({ description: 'Time of the counts' }),
});
export type HarmStopped = Static<typeof HarmStopped>;

export const RolloutStayed = namedObject('RolloutStayed', {
  propertyId: PropertyId,
  measuredRule: MeasuredRuleName,
  percentage: Type.Number({ description: 'Where the rollout stays' }),
  wantedPercentage: Type.Number({ description: 'Of the step that was not made' }),
  words: Type.String({ description: 'What it has waited for, as in the history' }),
  asOf: Type.Integer({ description: 'Time of the counts' }),
});
export type RolloutStayed = Static<typeof RolloutStayed>;

export const WebhookTest = namedObject('WebhookTest', { propertyId: PropertyId, webhookId: Type.String() });
export type WebhookTest = Static<typeof WebhookTest>;

/** The data of each event type. */
export interface WebhookContents {
  'configuration.changed': ConfigurationChanged;
  'verdict.changed': VerdictChanged;
  'test.unhealthy': TestUnhealthy;
  'goal.target_reached': GoalTargetReached;
  'feedback.submitted': FeedbackSubmitted;
  'schedule.executed': ScheduleExecuted;
  'harm.stopped': HarmStopped;
  'rollout.stayed': RolloutStayed;
  'webhook.test': WebhookTest;
}

/** The body of a webhook request, as Standard Webhooks describes it. */
export interface WebhookPayload<T extends keyof WebhookContents = keyof WebhookContents> {
  type: T;
  /** When it happened, ISO 8601. */
  timestamp: string;
  data: WebhookContents[T];
}
