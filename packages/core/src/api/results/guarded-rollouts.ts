import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../common.ts';
import { EffectInterval, MeasuredRuleName } from '../results.ts';
import { ruleMembers } from './results-queries.ts';

const ReplayedGuardrails = Type.String({
  maxLength: 2048,
  pattern: '^(metric:)?[^,:]+(:[0-9.]{1,12})?(,(metric:)?[^,:]+(:[0-9.]{1,12})?){0,19}$',
  description:
    'Dry run: what would have been decided with these guardrails. Ids of goals, separated by commas, and of metrics after `metric:`; each may be followed by a colon and the harm that is accepted, as in `refunds:0.02,metric:load-time` (default: 0.05)',
});

export const RolloutQuery = Type.Object({
  ...ruleMembers,
  guardrails: Type.Optional(ReplayedGuardrails),
  minVisitors: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Of the dry run' }),
  ),
});
export type RolloutQuery = Static<typeof RolloutQuery>;

const RolloutAction = oneOf(['go', 'wait', 'stay', 'roll-back'], {
  description: '`stay`: it has waited for as long as it may',
});

const RolloutGuardrail = namedObject('GuardedRolloutGuardrail', {
  goalId: Type.String(),
  name: Type.String(),
  outside: nullable(Type.Number({ description: 'Mean of those outside' })),
  inside: nullable(Type.Number({ description: 'Mean of those inside' })),
  improvement: EffectInterval,
  unit: oneOf(['relative', 'absolute'], { description: 'Of `improvement`' }),
  maxHarm: nullable(Type.Number()),
});

const RolloutPhase = namedObject('GuardedRolloutPhase', {
  phase: Type.Integer(),
  startedAt: Type.Integer(),
  endedAt: nullable(Type.Integer()),
  percentage: Type.Number(),
  visitorsInside: Type.Integer(),
  visitorsOutside: Type.Integer(),
  guardrails: Type.Array(RolloutGuardrail),
  action: RolloutAction,
  words: Type.String({
    description: 'Why: of the phases before the present one, with all that is known about them today',
  }),
});

const EXAMPLE = {
  measuredRule: { flagKey: 'new-checkout', environment: 'production', ruleId: 'everyone' },
  dryRun: false,
  state: 'waiting',
  words: 'No harm is proven, and 420 of 1,000 visitors are inside.',
  percentage: 25,
  next: { percentage: 50, at: 1767225600000 },
  waitsSince: 1767225600000,
  endedAt: null,
  asOf: 1767229200000,
  phases: [
    {
      phase: 1,
      startedAt: 1767139200000,
      endedAt: null,
      percentage: 25,
      visitorsInside: 420,
      visitorsOutside: 1260,
      guardrails: [
        {
          goalId: 'signup',
          name: 'Sign-ups',
          outside: 0.1,
          inside: 0.102,
          improvement: { estimate: 0.02, low: -0.26, high: 0.4 },
          unit: 'relative',
          maxHarm: 0.05,
        },
      ],
      action: 'wait',
      words: 'No harm is proven, and 420 of 1,000 visitors are inside.',
    },
  ],
};

const ROLLOUT = {
  measuredRule: MeasuredRuleName,
  dryRun: Type.Boolean({ description: 'Whether the guardrails are those of the request' }),
  state: oneOf(['off', 'running', 'waiting', 'stayed', 'rolled-back', 'finished', 'changed'], {
    description:
      '`waiting`: the time of the next step has come. `off`: flag or rule are off. `finished`: everybody has it. `changed`: somebody ended it by a change of the rule',
  }),
  words: Type.String(),
  percentage: Type.Number({ description: 'Of the rollout now' }),
  next: nullable(namedObject('GuardedRolloutStep', { percentage: Type.Number(), at: Type.Integer() })),
  waitsSince: nullable(Type.Integer()),
  endedAt: nullable(Type.Integer()),
  asOf: Type.Integer({ description: 'Time of the counts' }),
  phases: Type.Array(RolloutPhase, { description: 'Oldest first; at most the last 50' }),
};

export const GuardedRollout = Type.Object(ROLLOUT, { title: 'GuardedRollout', examples: [EXAMPLE] });
export type GuardedRollout = Static<typeof GuardedRollout>;
