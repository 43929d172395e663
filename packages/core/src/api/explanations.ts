import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf, SessionId, UserId, VisitorId } from './common.ts';
import { EvaluationContext, REASONS } from './flags.ts';
import { ID_PATTERN, Time } from './provisioning-fields.ts';
import { Condition, FlagType, FlagValue, Match } from './targeting.ts';

const At = Type.Integer({ description: 'Unix milliseconds' });
const AT_FORMATS = 'The moment, as ISO 8601 (default zone: UTC) or Unix milliseconds';

export const EXPLAINED_TYPES = ['flag', 'split-test'] as const;

export const ExplanationBody = Type.Object(
  {
    type: oneOf(EXPLAINED_TYPES),
    key: Type.String({ pattern: ID_PATTERN }),
    environment: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Environment of the flag; default: `production`',
      }),
    ),
    at: Type.Optional(Time('Uses the definitions of this moment; default: now')),
    definition: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'The item as it could be saved, like the body of `PUT`. Not together with `at`',
      }),
    ),
    context: Type.Optional(EvaluationContext),
    sessionId: Type.Optional(SessionId),
    visitorId: Type.Optional(VisitorId),
  },
  {
    title: 'ExplanationRequest',
    additionalProperties: false,
    examples: [{ type: 'flag', key: 'new-checkout', sessionId: 's-7f3c9a' }],
  },
);
export type ExplanationBody = Static<typeof ExplanationBody>;

export const ExplainedContext = namedObject('ExplainedContext', {
  attributes: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      'What was evaluated. Of a session: the attributes of its last `collect` request that has any, and `sessionId`, `visitorId`, `userId`, `country`, `device`, `browser` and `os` where the attributes do not have them. For a test with an audience also what pages know by themselves, as far as the audience uses it and it is stored: `path`, `referrer`, `query.…` and `utm.…` of the first page, `returning`, and `hour` at the start of the session in the time zone of the property',
  }),
  unknown: Type.Array(Type.String(), {
    description: 'Attributes that the definition uses and the context does not have',
  }),
});
export type ExplainedContext = Static<typeof ExplainedContext>;

/** Texts and lists of values in steps are cut at these lengths. */
export const MAX_STEP_VALUES = 20;
export const MAX_STEP_TEXT = 200;

export const ConditionStep = namedObject('ConditionStep', {
  attribute: Condition.properties.attribute,
  operator: Condition.properties.operator,
  values: Type.Optional(
    Type.Array(Type.Unknown(), {
      description: `The first ${MAX_STEP_VALUES}, each cut to ${MAX_STEP_TEXT} characters`,
    }),
  ),
  moreValues: Type.Optional(Type.Integer({ description: 'How many values are left out' })),
  negate: Condition.properties.negate,
  caseInsensitive: Condition.properties.caseInsensitive,
  matched: Type.Boolean({ description: 'Whether the condition holds, even if it did not decide the result' }),
  missing: Type.Optional(
    Type.Literal(true, {
      description: 'The context does not have the attribute, or its value is too long',
    }),
  ),
  actual: Type.Optional(
    Type.Unknown({
      description: `The value of the attribute, as text of at most ${MAX_STEP_TEXT} characters if it is longer; omitted if it is missing`,
    }),
  ),
  segments: Type.Optional(
    Type.Array(namedObject('SegmentMembership', { id: Type.String(), matched: Type.Boolean() }), {
      description: 'For `inSegment`; the conditions of each are in `segments` of the explanation',
    }),
  ),
});
export type ConditionStep = Static<typeof ConditionStep>;

const SplitStep = namedObject('SplitStep', {
  variant: Type.String({ description: 'The key of the entry, or its position from 0' }),
  value: FlagValue,
  from: Type.Number({ description: 'Within 0 to 100, inclusive' }),
  to: Type.Number({ description: 'Exclusive' }),
  served: Type.Boolean(),
});

export const RolloutStepResult = namedObject('RolloutResult', {
  percentage: Type.Number(),
  attribute: nullable(
    Type.String({ description: 'The attribute that was hashed; null if the context has none' }),
  ),
  unit: nullable(Type.String({ description: 'Its value' })),
  bucket: nullable(
    Type.Number({
      description: 'Position of the value within 0 to 100; without a split, included below the percentage',
    }),
  ),
  included: Type.Boolean(),
  split: Type.Optional(
    Type.Array(SplitStep, { description: 'With a split: the ranges that have a value of it, in order' }),
  ),
});
export type RolloutStepResult = Static<typeof RolloutStepResult>;

export const RuleStep = namedObject('RuleStep', {
  index: Type.Integer({ description: 'Position in the definition, from 0' }),
  id: Type.String(),
  name: Type.Optional(Type.String()),
  outcome: oneOf(['served', 'no-match', 'rolled-out-to-others', 'turned-off', 'not-reached'], {
    description:
      '`served`: the rule decided. `rolled-out-to-others`: its conditions hold, but the percentage does not include this context',
  }),
  value: Type.Optional(FlagValue),
  match: Type.Optional(Match),
  conditions: Type.Optional(Type.Array(ConditionStep, { description: 'Omitted if it was not reached' })),
  rollout: Type.Optional(RolloutStepResult),
  measured: Type.Optional(
    Type.String({ description: 'The variation of the measured rule that the context is in' }),
  ),
});
export type RuleStep = Static<typeof RuleStep>;

export const PrerequisiteStep = namedObject('PrerequisiteStep', {
  flag: Type.String(),
  expected: FlagValue,
  actual: nullable(FlagValue),
  reason: nullable(Type.String({ enum: [...REASONS] })),
  met: Type.Boolean(),
});
export type PrerequisiteStep = Static<typeof PrerequisiteStep>;

export const SegmentStep = namedObject('SegmentStep', {
  id: Type.String(),
  name: Type.Optional(Type.String()),
  matched: Type.Boolean(),
  match: Type.Optional(Match),
  conditions: Type.Array(ConditionStep),
});
export type SegmentStep = Static<typeof SegmentStep>;

const Shortened = Type.Optional(
  Type.Literal(true, { description: 'Some conditions are left out, because there are very many' }),
);

/** How a flag got its value. */
export const FlagSteps = namedObject('FlagSteps', {
  configured: Type.Boolean({
    description: 'Whether the flag has a configuration in the environment; if not, it has its default value',
  }),
  enabled: Type.Boolean(),
  defaultValue: FlagValue,
  fallthrough: nullable(FlagValue),
  prerequisites: Type.Array(PrerequisiteStep),
  rules: Type.Array(RuleStep, { description: 'In order' }),
  segments: Type.Array(SegmentStep, { description: 'The segments that were looked at, each once' }),
  shortened: Shortened,
});
export type FlagSteps = Static<typeof FlagSteps>;

export const ASSIGNMENT_REASONS = [
  'ASSIGNED',
  'NOT_RUNNING',
  'WINNER',
  'NO_VISITOR',
  'HOLDOUT',
  'EXCLUSION_GROUP',
  'AUDIENCE',
  'TRAFFIC',
  'RETIRED',
  'NO_WEIGHT',
] as const;

export const RangeStep = namedObject('RangeStep', {
  bucket: Type.Number({ description: 'Position of the visitor within 0 to 100' }),
  from: Type.Number({ description: 'Inclusive' }),
  to: Type.Number({ description: 'Exclusive' }),
  passed: Type.Boolean({ description: 'False: the visitor does not take part' }),
});
export type RangeStep = Static<typeof RangeStep>;

/** Whether a visitor belongs to the audience of a test. */
export const AudienceStep = namedObject('AudienceStep', {
  match: Match,
  conditions: Type.Array(ConditionStep),
  segments: Type.Array(SegmentStep, { description: 'The segments that were looked at, each once' }),
  passed: Type.Boolean({ description: 'False: the visitor does not take part' }),
  shortened: Shortened,
});
export type AudienceStep = Static<typeof AudienceStep>;

/** How a visitor got a variation. */
export const AssignmentSteps = namedObject('AssignmentSteps', {
  status: oneOf(['draft', 'running', 'paused', 'stopped', 'archived']),
  winner: nullable(Type.String()),
  phase: nullable(Type.Integer({ description: 'The latest phase of the test; null before its first start' })),
  holdout: nullable(RangeStep),
  exclusion: nullable(
    Type.Object({ ...RangeStep.properties, group: Type.String() }, { title: 'ExclusionStep' }),
  ),
  audience: Type.Union([AudienceStep, Type.Null()], {
    description:
      'By the attributes alone; null if all visitors may take part. Visitors who were exposed before stay in the test when their attributes change: their browser remembers it',
  }),
  assignedBy: nullable(
    oneOf(['visitorId', 'userId'], {
      description:
        'The id that traffic and variation were drawn with; null if there is none. `userId` only for tests with the unit `user`: what the Node SDK does when it is given the user. Pages that it did not render use `visitorId`',
    }),
  ),
  traffic: nullable(RangeStep),
  variations: Type.Array(
    namedObject('VariationRange', {
      key: Type.String(),
      weight: Type.Number(),
      from: Type.Number({ description: 'Start of its range within 0 to 100' }),
      to: Type.Number(),
      chosen: Type.Boolean(),
      retired: Type.Optional(
        Type.Literal(true, {
          description: 'Taken out: its visitors see the control and are not counted',
        }),
      ),
    }),
    { description: 'In order; the first is the control' },
  ),
  variationBucket: nullable(
    Type.Number({ description: 'Position of the visitor within 0 to 100 among the variations' }),
  ),
});
export type AssignmentSteps = Static<typeof AssignmentSteps>;

const common = {
  key: Type.String(),
  at: At,
  version: nullable(
    Type.Integer({ description: 'Version of the item at that time; null for a `definition` that is new' }),
  ),
  configurationVersion: Type.Integer({ description: 'Version of the property at that time' }),
  historical: Type.Boolean({ description: 'Whether definitions of a past moment were used' }),
  contextUsed: ExplainedContext,
};

export const FlagExplanation = namedObject('FlagExplanation', {
  type: Type.Literal('flag'),
  ...common,
  environment: Type.String(),
  flagType: FlagType,
  value: FlagValue,
  reason: Type.String({ enum: [...REASONS] }),
  ruleId: Type.Optional(Type.String()),
  ruleIndex: Type.Optional(Type.Integer({ description: 'Position of the rule in the definition, from 0' })),
  steps: FlagSteps,
});
export type FlagExplanation = Static<typeof FlagExplanation>;

export const SplitTestExplanation = namedObject('SplitTestExplanation', {
  type: Type.Literal('split-test'),
  ...common,
  included: Type.Boolean({ description: 'If false, the visitor is shown `variation` without being counted' }),
  variation: nullable(
    Type.String({
      description: 'What is shown; null if the test is not served and the page shows its own content',
    }),
  ),
  reason: oneOf(ASSIGNMENT_REASONS),
  steps: AssignmentSteps,
});
export type SplitTestExplanation = Static<typeof SplitTestExplanation>;

export const Explanation = Type.Union([FlagExplanation, SplitTestExplanation], { title: 'Explanation' });
export type Explanation = Static<typeof Explanation>;

export const SessionFlagsParams = Type.Object({
  propertyId: Type.String({ maxLength: 128 }),
  sessionId: SessionId,
});
export type SessionFlagsParams = Static<typeof SessionFlagsParams>;

export const SessionFlagsQuery = Type.Object({
  environment: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'production' })),
  at: Type.Optional(
    Type.String({ maxLength: 64, description: `${AT_FORMATS}; default: the start of the session` }),
  ),
});
export type SessionFlagsQuery = Static<typeof SessionFlagsQuery>;

export const SessionFlags = namedObject('SessionFlags', {
  sessionId: Type.String(),
  visitorId: nullable(VisitorId),
  userId: nullable(UserId),
  environment: Type.String(),
  at: At,
  configurationVersion: Type.Integer({ description: 'Version of the property at that time' }),
  computed: Type.Literal(true, {
    description: 'The values are computed from the history; what the page was sent is not stored',
  }),
  contextUsed: ExplainedContext,
  flags: Type.Array(
    namedObject('SessionFlag', {
      flagKey: Type.String(),
      name: Type.String(),
      value: FlagValue,
      reason: Type.String({ enum: [...REASONS] }),
      ruleId: Type.Optional(Type.String()),
      ruleIndex: Type.Optional(Type.Integer()),
      version: Type.Integer({ description: 'Version of the flag at that time' }),
      unknown: Type.Array(Type.String(), {
        description: 'Attributes that the flag uses and the session does not have',
      }),
    }),
  ),
});
export type SessionFlags = Static<typeof SessionFlags>;
