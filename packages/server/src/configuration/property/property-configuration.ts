import type { AaTestMode } from '@switchyard/core/api/aa-test';
import type { Audience } from '@switchyard/core/api/audience';
import type { FixedDecisionRule } from '@switchyard/core/api/decision/decision-rule';
import type { MetricComputation, MetricFormat } from '@switchyard/core/api/metrics';
import type { PrivacySettings } from '@switchyard/core/api/privacy';
import type { DecisionOutcome } from '@switchyard/core/api/provisioned-split-test';
import type { MemberRole } from '@switchyard/core/api/roles';
import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import type {
  FlagConfiguration,
  FlagFormat,
  FlagType,
  FlagValue,
  JsonSchema,
  Segment,
} from '@switchyard/core/api/targeting';
import type { MeasuredRule } from '@switchyard/core/lifecycle/measured-rule';
import type { Phase } from '@switchyard/core/lifecycle/phases';
import type { SplitTestStatus } from '@switchyard/core/lifecycle/status';
import type { Guardrail, TestOutcome } from './test-outcome.ts';

/** The items of a property, by their type: the list that has them, which has the same name in provision files. */
interface Lists {
  environment: List<'environments', Environment>;
  'split-test': List<'splitTests', SplitTest>;
  flag: List<'flags', Flag>;
  segment: List<'segments', StoredSegment>;
  goal: List<'goals', Goal>;
  metric: List<'metrics', Metric>;
  'feedback-type': List<'feedbackTypes', FeedbackType>;
  webhook: List<'webhooks', Webhook>;
  key: List<'apiKeys', ApiKey>;
  member: List<'members', Member>;
}

interface List<Field extends string, Item> {
  field: Field;
  item: Item;
}

export type ItemType = keyof Lists;
export type ItemOf<T extends ItemType> = Lists[T]['item'];
export type FieldOf<T extends ItemType> = Lists[T]['field'];
export type Item = ItemOf<ItemType>;

type ItemLists = { readonly [T in ItemType as FieldOf<T>]: readonly ItemOf<T>[] };

/** A property with everything that requests need; immutable, every saved change creates a new object. */
export interface PropertyConfiguration extends StoredProperty, ItemLists {}

/** A property without its lists. */
export interface StoredProperty {
  readonly id: string;
  readonly name: string;
  /** Events older than this many days are deleted; null keeps them forever. */
  readonly retentionDays: number | null;
  /** Origins whose pages may call the browser endpoints; null allows any. */
  readonly allowedOrigins: readonly string[] | null;
  /** Seed for assigning visitors to the holdout, to the tests of an exclusion group and to the A/A test. */
  readonly hashSeed: string;
  /** Percentage of visitors excluded from all split tests. */
  readonly holdout: number;
  /** Derived by the writer; null without a holdout. */
  readonly holdoutPeriod: HoldoutPeriod | null;
  /** Statistics settings of its split tests, with defaults filled in. */
  readonly statistics: StatisticsSettings;
  readonly aaTest: AaTestMode;
  /** Whether evaluations by the service are recorded for measured rules even if the request does not say so. */
  readonly recordEvaluations?: true;
  /** ISO 4217 code shown with amounts, which are not converted. */
  readonly displayCurrency: string;
  /** IANA name of the zone of days, weeks and months in reports. */
  readonly timeZone: string;
  /** What is recorded of URLs, texts and people, with defaults filled in. */
  readonly privacy: PrivacySettings;
  readonly createdAt: number;
  /** Incremented by every saved change of the property. */
  readonly version: number;
}

/** While a holdout keeps its seed and does not grow, it can be measured as one. */
export interface HoldoutPeriod {
  readonly since: number;
  /** The largest percentage since then: visitors between it and the present one were released. */
  readonly largest: number;
}

export interface Environment {
  id: string;
  name: string;
  /** Changes by editors need an approval. */
  protected: boolean;
  version: number;
}

/** The default environment; every property has it. */
export const PRODUCTION = { id: 'production', name: 'Production' } as const;

export interface StoredSegment extends Segment {
  version: number;
}

export interface SplitTest {
  id: string;
  key: string;
  name?: string;
  description: string | null;
  /** What is expected, and why. */
  hypothesis: string | null;
  tags: string[];
  /** Email address or name of who is responsible. */
  owner: string | null;
  type: 'id' | 'text' | 'json';
  status: SplitTestStatus;
  hashSeed: string;
  trafficAllocation: number;
  variations: Variation[];
  /** The first is the primary goal. */
  goals: TestOutcome[];
  /** Must not get worse; disjoint from `goals`. */
  guardrails: Guardrail[];
  /** Who is counted: each visitor, or visitors of the same user together. */
  unit: 'visitor' | 'user';
  /** Who takes part; omitted: all visitors. */
  audience?: Audience;
  /** What happens to variations that do harm; omitted: somebody decides. */
  onHarm?: 'stop';
  exclusion: ExclusionSlot | null;
  /** When a draft starts automatically. */
  startAt: number | null;
  /** When the test stops automatically. */
  stopAt: number | null;
  /** Key of the variation that a stopped test serves to everyone. */
  winner: string | null;
  decision: Decision | null;
  /** Days after the end of the test during which conversions still count. */
  attributionDays: number;
  /** Total visitors at which the fixed horizon is reached. */
  plannedVisitors: number | null;
  /** Smallest relative change of the primary goal worth detecting. */
  smallestEffect: number | null;
  /** Periods in which the test ran with one definition, oldest first; empty before its first start. */
  phases: readonly Phase[];
  /** What decided about the test when it first started; derived by the writer. */
  decisionRule?: FixedDecisionRule;
  createdAt: number;
  version: number;
}

/** What was decided after a test, and why. */
export interface Decision {
  outcome: DecisionOutcome;
  reason: string;
  decidedAt: number;
}

/** The range within 0 to 100 that a test occupies in its exclusion group. */
export interface ExclusionSlot {
  group: string;
  /** Percentage of all visitors. */
  share: number;
  from: number;
  to: number;
}

export interface Variation {
  key: string;
  weight: number;
  value: string;
  /** Taken out of a started test. */
  retired?: true;
}

export interface Flag {
  id: string;
  key: string;
  name: string;
  description?: string;
  tags: string[];
  owner: string | null;
  type: FlagType;
  /** What the texts of a string flag are; omitted: plain text. */
  format?: FlagFormat;
  /** What all values must fit; only with a format. */
  schema?: JsonSchema;
  defaultValue: FlagValue;
  createdAt: number;
  /** Incremented by every saved change of the flag or one of its configurations. */
  version: number;
  configurations: EnvironmentFlagConfiguration[];
}

export interface EnvironmentFlagConfiguration extends FlagConfiguration {
  id: string;
  environmentId: string;
  /** Derived by the writer; omitted if no rule is or was measured. */
  measured?: readonly MeasuredRule[];
}

export interface Goal {
  id: string;
  name: string;
  kind: 'count' | 'revenue';
  lowerIsBetter: boolean;
  target: GoalTarget | null;
  version: number;
}

/** What the goal should reach in each period. */
interface GoalTarget {
  value: number;
  period: 'week' | 'month' | 'quarter';
}

/** What split tests can be measured by besides goals. */
export type Metric = MetricNotes & MetricComputation;

interface MetricNotes {
  id: string;
  name: string;
  description: string | null;
  tags: string[];
  lowerIsBetter: boolean;
  /** Larger values of a visitor count as this. */
  cap: number | null;
  /** Null: the one that fits what it computes. */
  format: MetricFormat | null;
  version: number;
}

export interface FeedbackType {
  id: string;
  name: string;
  options: string[];
  /** By option; options without a style are missing. */
  optionStyles: Record<string, OptionStyle>;
  textInput: boolean;
  version: number;
}

export interface OptionStyle {
  /** Default: the option itself. */
  label?: string;
  /** `#rrggbb`. */
  color?: string;
}

/** An endpoint of the property's owners that is notified of events. */
export interface Webhook {
  id: string;
  name?: string;
  url: string;
  /** Event types, like `feedback.submitted`. */
  events: string[];
  enabled: boolean;
  /** Signing secret, `whsec_…`; never part of a response or of the history. */
  secret: string;
  version: number;
  createdAt: number;
}

/** An account with access to the property; owners have access without being members. */
export interface Member {
  accountId: string;
  role: MemberRole;
  version: number;
  createdAt: number;
}

export type KeyKind = 'public' | 'secret';

/** A stored API key; the text of a secret key is not stored. */
export interface ApiKey {
  id: string;
  propertyId: string;
  kind: KeyKind;
  name: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  /** First characters of the key, for display. */
  prefix: string;
  lastFour: string;
  /** The whole key, if it is public. */
  publicKey: string | null;
  createdAt: number;
}

/** Caches a value derived from a property; recomputed only after a saved change. */
export function derivePerProperty<T>(
  derive: (property: PropertyConfiguration) => T,
): (property: PropertyConfiguration) => T {
  const derived = new WeakMap<PropertyConfiguration, { value: T }>();
  return (property) => {
    let entry = derived.get(property);
    if (entry === undefined) {
      entry = { value: derive(property) };
      derived.set(property, entry);
    }
    return entry.value;
  };
}
