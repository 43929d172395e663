import type { FlagEvaluation, FlagValue } from './flag-state.ts';

export type FlagReason = 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT' | 'ERROR';

export type FlagErrorCode = 'PROVIDER_NOT_READY' | 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'GENERAL';

/** The value of a flag and the reason for it. */
export interface FlagDetails<Value = boolean | string> {
  readonly key: string;
  readonly value: Value;
  /** `ERROR`: the value is the fallback; see `errorCode`. */
  readonly reason: FlagReason;
  /** The rule that matched, for `TARGETING_MATCH` and `SPLIT`. */
  readonly ruleId?: string;
  readonly errorCode?: FlagErrorCode;
  readonly errorMessage?: string;
}

/** An error if the value has another type than the fallback. */
export function detailsOf<Value extends FlagValue>(
  key: string,
  fallback: Value,
  { value, reason, ruleId }: FlagEvaluation,
): FlagDetails<Value> {
  if (typeof value !== typeof fallback) {
    return failedDetails(key, fallback, {
      code: 'TYPE_MISMATCH',
      message: `The flag ${key} is a ${typeof value}.`,
    });
  }
  return ruleId === undefined
    ? { key, value: value as Value, reason }
    : { key, value: value as Value, reason, ruleId };
}

/** The fallback, with the reason for it. */
export function failedDetails<Value>(
  key: string,
  fallback: Value,
  error: { code: FlagErrorCode; message: string },
): FlagDetails<Value> {
  return { key, value: fallback, reason: 'ERROR', errorCode: error.code, errorMessage: error.message };
}

export const notFound = <Value>(key: string, fallback: Value): FlagDetails<Value> =>
  failedDetails(key, fallback, { code: 'FLAG_NOT_FOUND', message: `There is no flag ${key}.` });
