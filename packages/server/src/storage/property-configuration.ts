import type { FlagConfiguration, FlagType, FlagValue, Segment } from '@switchyard/core/api/targeting';

/** Everything about one property that a request may need; immutable, replaced as a whole by every saved change. */
export interface PropertyConfiguration {
  readonly id: string;
  readonly name: string;
  /** Events older than this many days are deleted; null keeps them for ever. */
  readonly retentionDays: number | null;
  /** Origins whose pages may call the browser endpoints; null allows any. */
  readonly allowedOrigins: readonly string[] | null;
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

type SplitTestStatus = 'draft' | 'running' | 'paused' | 'stopped' | 'archived';

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
  createdAt: number;
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
