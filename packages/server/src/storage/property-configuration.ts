import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import type { FlagConfiguration, FlagType, FlagValue, Segment } from '@switchyard/core/api/targeting';
import type { Phase } from '@switchyard/core/lifecycle/phases';
import type { SplitTestStatus } from '@switchyard/core/lifecycle/status';

/** Everything about one property that a request may need; immutable, replaced as a whole by every saved change. */
export interface PropertyConfiguration {
  readonly id: string;
  readonly name: string;
  /** Events older than this many days are deleted; null keeps them for ever. */
  readonly retentionDays: number | null;
  /** Origins whose pages may call the browser endpoints; null allows any. */
  readonly allowedOrigins: readonly string[] | null;
  /** Decides who is held out and who falls to which test of an exclusion group. */
  readonly hashSeed: string;
  /** Percentage of visitors kept out of all split tests. */
  readonly holdout: number;
  /** How its split tests are judged; complete, with defaults where nothing was said. */
  readonly statistics: StatisticsSettings;
  readonly environments: readonly Environment[];
  readonly splitTests: readonly SplitTest[];
  readonly flags: readonly Flag[];
  readonly segments: readonly Segment[];
  readonly goals: readonly Goal[];
  readonly feedbackTypes: readonly FeedbackType[];
  /** Grows by one with every saved change of the property. */
  readonly version: number;
}

export interface Environment {
  id: string;
  name: string;
}

/** Every property has it, and it is meant where none is named. */
export const PRODUCTION: Readonly<Environment> = { id: 'production', name: 'Production' };

export interface SplitTest {
  id: string;
  key: string;
  name?: string;
  type: 'id' | 'text' | 'json';
  status: SplitTestStatus;
  hashSeed: string;
  trafficAllocation: number;
  variations: Variation[];
  /** Goal ids; the first is the primary goal. */
  goals: string[];
  /** Ids of goals that must not get worse; none that `goals` has. */
  guardrails: string[];
  exclusion: ExclusionSlot | null;
  /** When a draft starts by itself. */
  startAt: number | null;
  /** When the test stops by itself. */
  stopAt: number | null;
  /** Key of the variation that everybody gets from a stopped test. */
  winner: string | null;
  /** Days after its end in which a conversion still counts. */
  attributionDays: number;
  /** Visitors of all variations together at which a fixed horizon is reached. */
  plannedVisitors: number | null;
  /** Smallest change of the primary goal that matters, relative to the control. */
  smallestEffect: number | null;
  /** Times in which it ran under one definition, the oldest first; empty before it first ran. */
  phases: readonly Phase[];
  createdAt: number;
}

/** The part of 0 to 100 that a test has in its exclusion group. */
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
}

export interface Flag {
  id: string;
  key: string;
  name: string;
  description?: string;
  type: FlagType;
  defaultValue: FlagValue;
  createdAt: number;
  /** Grows by one with every saved change of the flag or of one of its configurations. */
  version: number;
  configurations: EnvironmentFlagConfiguration[];
}

export interface EnvironmentFlagConfiguration extends FlagConfiguration {
  id: string;
  environmentId: string;
}

export interface Goal {
  id: string;
  name: string;
  kind: 'count' | 'revenue';
  lowerIsBetter: boolean;
}

export interface FeedbackType {
  id: string;
  name: string;
  options: string[];
  textInput: boolean;
}

export type KeyKind = 'public' | 'secret';

/** An API key as it is stored; the text of a secret key is known only to its owner. */
export interface ApiKey {
  id: string;
  propertyId: string;
  kind: KeyKind;
  name: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  /** First characters of the key, enough to recognise it. */
  prefix: string;
  lastFour: string;
  /** The whole key; only public keys are kept readable. */
  publicKey: string | null;
  createdAt: number;
}

/** Computes something once per saved change of a property, for the hot paths that read it. */
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
