import type { FlagAnswer, FlagValue } from './flag-state.ts';

export type FlagReason = 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT' | 'ERROR';

export type FlagErrorCode = 'PROVIDER_NOT_READY' | 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'GENERAL';

/** A value and how it came about. */
export interface FlagDetails<Value = boolean | string> {
  readonly key: string;
  readonly value: Value;
  /** `ERROR`: the value is the fallback, and `errorCode` says why. */
  readonly reason: FlagReason;
  /** The rule that decided, for `TARGETING_MATCH` and `SPLIT`. */
  readonly ruleId?: string;
  readonly errorCode?: FlagErrorCode;
  readonly errorMessage?: string;
}

/** The answer, unless it is of another type than the fallback. */
export function detailsOf<Value extends FlagValue>(
  key: string,
  fallback: Value,
  { value, reason, ruleId }: FlagAnswer,
): FlagDetails<Value> {
  if (typeof value !== typeof fallback) {
    return failed(key, fallback, 'TYPE_MISMATCH', `The flag ${key} is a ${typeof value}.`);
  }
  return ruleId === undefined
    ? { key, value: value as Value, reason }
    : { key, value: value as Value, reason, ruleId };
}

/** The fallback, and why. */
export function failed<Value>(
  key: string,
  value: Value,
  errorCode: FlagErrorCode,
  errorMessage: string,
): FlagDetails<Value> {
  return { key, value, reason: 'ERROR', errorCode, errorMessage };
}

export const notFound = <Value>(key: string, fallback: Value): FlagDetails<Value> =>
  failed(key, fallback, 'FLAG_NOT_FOUND', `There is no flag ${key}.`);
