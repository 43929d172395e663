import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import type { ApiKey, PropertyConfiguration } from '../property/property-configuration.ts';

/** Records a problem of a candidate: a JSON pointer and a message that completes "<field> …". */
export type Report = (pointer: string, message: string) => void;

/** What is to be saved of a property, in the format of the provision file. */
export type PropertyCandidate = ProvisionedProperty;

export interface RuleContext {
  now: number;
  /** What a missing field of an item means: its stored value (`merge`), or its default (`replace`). */
  mode: 'merge' | 'replace';
  /** Keys of the other properties, because every key must be unique. */
  otherKeys: readonly ApiKey[];
  /** Hashes of the keys in the same file, of all properties. */
  keyHashes: Set<string>;
  /** Problems by JSON pointer into the candidate. */
  report: Report;
}

export interface RuleSettings {
  /** Whether webhooks may be sent to private networks. */
  allowPrivateWebhooks: boolean;
}

/** A key whose text was generated; the only time it is known. */
export interface GeneratedKey {
  key: ApiKey;
  text: string;
}

interface ResolvedProperty {
  /** Only valid if no problem was reported. */
  property: PropertyConfiguration;
  generatedKeys: GeneratedKey[];
}

/** For candidates without keys. */
export const NO_KEYS: Readonly<Pick<RuleContext, 'otherKeys' | 'keyHashes'>> = {
  otherKeys: [],
  keyHashes: new Set(),
};

/** What may be saved: the rules of all features. Missing parts of the candidate leave the stored ones unchanged. */
export type ResolveProperty = (
  candidate: PropertyCandidate,
  stored: PropertyConfiguration | undefined,
  context: RuleContext,
) => ResolvedProperty;
