import type { AaTestMode } from '@switchyard/core/api/aa-test';
import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import type { FlagConfiguration } from '@switchyard/core/api/targeting';
import type { Flag, KeyKind, PropertyConfiguration, SplitTest } from './property-configuration.ts';

// Input for saving parts of the configuration; ids, versions and the like are generated.

export interface PropertySettings
  extends Pick<PropertyConfiguration, 'name' | 'retentionDays' | 'allowedOrigins' | 'holdout'> {
  /** Generated once if omitted. */
  hashSeed?: string | undefined;
  /** Unchanged if omitted. */
  statistics?: StatisticsSettings | undefined;
  /** Unchanged if omitted. */
  aaTest?: AaTestMode | undefined;
  /** Unchanged if omitted. */
  displayCurrency?: string | undefined;
}

export interface SplitTestSettings extends Omit<SplitTest, 'id' | 'hashSeed' | 'phases' | 'createdAt'> {
  /** Seed for assigning visitors to variations; generated once if omitted. */
  hashSeed?: string;
}

export interface FlagSettings
  extends Pick<Flag, 'key' | 'name' | 'description' | 'tags' | 'owner' | 'type' | 'defaultValue'> {
  /** By environment id; other environments are unchanged. */
  configurations: Readonly<Record<string, FlagConfiguration>>;
}

export interface KeySettings {
  kind: KeyKind;
  name: string;
  /** Text of an existing key; generated if omitted. */
  text?: string;
}
