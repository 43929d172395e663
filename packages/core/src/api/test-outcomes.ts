import { type Static, Type } from 'typebox';
import { closed, Id, Line } from './provisioning-fields.ts';

const FEEDBACK = {
  feedbackType: Id('Feedback type id: the share of visitors who answered'),
  option: Type.Optional(Line(256, 'The share of this option among those who answered')),
  lowerIsBetter: Type.Optional(Type.Boolean({ description: 'For options such as "bad"; default: `false`' })),
};

const METRIC = { metric: Id('Metric id') };

const ProvisionedOutcome = Type.Union([
  Id('Goal id'),
  Type.Object(FEEDBACK, closed('ProvisionedFeedbackOutcome')),
  Type.Object(METRIC, closed('ProvisionedMetricOutcome')),
]);
export type ProvisionedOutcome = Static<typeof ProvisionedOutcome>;

const MaxHarm = Type.Number({
  exclusiveMinimum: 0,
  maximum: 10,
  description:
    'Harm that must be ruled out, relative to the control: 0.02 is 2 %; default: `smallestEffect` of the test, or 0.05 if it has none',
});

const ProvisionedGuardrail = Type.Union([
  Id('Goal id'),
  Type.Object({ goalId: Id('Goal id'), maxHarm: MaxHarm }, closed('ProvisionedGoalGuardrail')),
  Type.Object({ ...FEEDBACK, maxHarm: Type.Optional(MaxHarm) }, closed('ProvisionedFeedbackGuardrail')),
  Type.Object({ ...METRIC, maxHarm: Type.Optional(MaxHarm) }, closed('ProvisionedMetricGuardrail')),
]);
export type ProvisionedGuardrail = Static<typeof ProvisionedGuardrail>;

export const Outcomes = Type.Array(ProvisionedOutcome, {
  maxItems: 100,
  description: 'Goals, metrics and feedback; the first is the primary goal',
});

export const Guardrails = Type.Array(ProvisionedGuardrail, {
  maxItems: 100,
  description:
    'Goals, metrics and feedback that must not get worse by more than `maxHarm`; must not overlap with `goals`',
});

export const PlannedVisitors = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000_000,
  description: 'Total number of visitors, in all variations, at which the test ends',
});

export const SmallestEffect = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1000,
  description: 'Smallest change of the primary goal that matters, relative to the control: 0.02 is 2 %',
});
