import type { Audience } from '@switchyard/core/api/audience';
import type { FixedDecisionRule } from '@switchyard/core/api/decision/decision-rule';
import type { ManagedProperty } from '@switchyard/core/api/management';
import type { MetricComputation, MetricFormat } from '@switchyard/core/api/metrics';
import type { ProvisionedSplitTest } from '@switchyard/core/api/provisioned-split-test';
import type {
  ProvisionedEnvironment,
  ProvisionedFeedbackType,
  ProvisionedGoal,
} from '@switchyard/core/api/provisioning';
import type {
  FlagFormat,
  FlagType,
  FlagValue,
  Measure,
  Prerequisite,
  Rule,
  Segment,
} from '@switchyard/core/api/targeting';
import type { ProvisionedWebhook } from '@switchyard/core/api/webhooks';
import type { GuardedRolloutPlan } from '@switchyard/core/lifecycle/guarded-rollout';
import type { AudienceInForce } from '@switchyard/core/lifecycle/phases';
import type { Static } from 'typebox';
import type { FlagSchema } from '../flags/values/schema-text.ts';

// The items as the configuration endpoint returns them: every default is filled in.

interface Versioned {
  version: number;
}

/** An item of any list of `COLLECTIONS`; its `key` says which of the names identifies it. */
export interface ListedItem extends Versioned {
  id?: string;
  key?: string;
}

export type PropertySettings = Static<typeof ManagedProperty>;
export type Environment = Required<ProvisionedEnvironment> & Versioned;
export type Goal = Required<ProvisionedGoal> & Versioned;
export type Metric = Versioned &
  MetricComputation & {
    id: string;
    name: string;
    description: string | null;
    tags: string[];
    lowerIsBetter: boolean;
    cap: number | null;
    format: MetricFormat | null;
  };
export type FeedbackType = Required<ProvisionedFeedbackType> & Versioned;
export type ManagedSegment = Segment & Versioned;
export type Webhook = ProvisionedWebhook & Versioned & { createdAt: number; secret?: string };

export interface FlagEnvironment {
  id?: string;
  enabled: boolean;
  value: FlagValue;
  rules: Rule[];
  prerequisites: Prerequisite[];
  /** Rules that are or were measured; derived by the server. */
  measured?: MeasuredRule[];
}

interface MeasuredRule {
  ruleId: string;
  measure: Measure;
  /** What everybody gets since the measurement has ended. */
  winner: string | null;
  phases: SplitTestPhase[];
  /** Of a rollout with guardrails. */
  plan?: GuardedRolloutPlan;
}

export interface Flag extends Versioned {
  id: string;
  key: string;
  name: string;
  description: string;
  tags: string[];
  owner: string | null;
  type: FlagType;
  /** Missing: the values are plain texts, or booleans. */
  format?: FlagFormat | undefined;
  schema?: FlagSchema | undefined;
  defaultValue: FlagValue;
  environments: Record<string, FlagEnvironment>;
  createdAt: number;
}

export interface SplitTestPhase {
  number: number;
  startedAt: number;
  servedFrom?: number;
  endedAt: number | null;
  reasons: string[];
  definition: Pick<SplitTest, 'hashSeed' | 'trafficAllocation' | 'variations' | 'exclusion' | 'unit'> & {
    audience?: AudienceInForce;
  };
}

export type SplitTest = Omit<
  Required<ProvisionedSplitTest>,
  'startAt' | 'stopAt' | 'variations' | 'audience' | 'onHarm'
> &
  Versioned & {
    id: string;
    variations: { key: string; weight: number; value: string; retired?: boolean }[];
    /** Missing or null: all visitors. */
    audience?: Audience | null;
    /** Missing: notify. */
    onHarm?: 'notify' | 'stop';
    startAt: number | null;
    stopAt: number | null;
    phases: SplitTestPhase[];
    /** Missing before the first start, and of tests that started before rules were fixed. */
    decisionRule?: FixedDecisionRule;
    createdAt: number;
  };

export interface Configuration extends Versioned {
  property: PropertySettings;
  environments: Environment[];
  splitTests: SplitTest[];
  flags: Flag[];
  segments: ManagedSegment[];
  goals: Goal[];
  metrics: Metric[];
  feedbackTypes: FeedbackType[];
  webhooks: Webhook[];
}

/** Lists of the configuration that have a collection of their own in the API. */
export const COLLECTIONS = {
  environment: { path: 'environments', field: 'environments', key: 'id' },
  'split-test': { path: 'split-tests', field: 'splitTests', key: 'key' },
  flag: { path: 'flags', field: 'flags', key: 'key' },
  segment: { path: 'segments', field: 'segments', key: 'id' },
  goal: { path: 'goals', field: 'goals', key: 'id' },
  metric: { path: 'metrics', field: 'metrics', key: 'id' },
  'feedback-type': { path: 'feedback-types', field: 'feedbackTypes', key: 'id' },
  webhook: { path: 'webhooks', field: 'webhooks', key: 'id' },
} as const;

export type ItemType = keyof typeof COLLECTIONS;
export type ItemOf<T extends ItemType> = Configuration[(typeof COLLECTIONS)[T]['field']][number];
