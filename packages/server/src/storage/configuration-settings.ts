import type { StatisticsSettings } from '@switchyard/core/api/statistics';
import type { FlagConfiguration } from '@switchyard/core/api/targeting';
import type { Flag, KeyKind, PropertyConfiguration, SplitTest } from './property-configuration.ts';

// What is given to save a part of the configuration; the rest of the part is ours.

export interface PropertySettings
  extends Pick<PropertyConfiguration, 'name' | 'retentionDays' | 'allowedOrigins' | 'holdout'> {
  /** Generated once when left out. */
  hashSeed?: string | undefined;
  /** Stays as it is when left out. */
  statistics?: StatisticsSettings | undefined;
}

export interface SplitTestSettings extends Omit<SplitTest, 'id' | 'hashSeed' | 'phases' | 'createdAt'> {
  /** Decides who sees what; generated once when left out. */
  hashSeed?: string;
}

export interface FlagSettings extends Pick<Flag, 'key' | 'name' | 'description' | 'type' | 'defaultValue'> {
  /** By environment; one that is not named stays as it is. */
  configurations: Readonly<Record<string, FlagConfiguration>>;
}

export interface KeySettings {
  kind: KeyKind;
  name: string;
  /** Text of a key that exists already; generated when left out. */
  text?: string;
}
