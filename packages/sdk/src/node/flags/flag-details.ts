import type { JsonValue } from '../../client/schema.ts';
import type { FlagEvaluation } from './flag-state.ts';
import { kindOf, mismatchWords, parsedValue, valueAs } from './flag-value.ts';

export type FlagReason = 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'DEFAULT' | 'ERROR';

export type FlagErrorCode = 'PROVIDER_NOT_READY' | 'FLAG_NOT_FOUND' | 'TYPE_MISMATCH' | 'GENERAL';

/** The value of a flag and the reason for it. */
export interface FlagDetails<Value = JsonValue> {
  readonly key: string;
  readonly value: Value;
  /** `ERROR`: the value is the fallback; see `errorCode`. */
  readonly reason: FlagReason;
  /** The rule that matched, for `TARGETING_MATCH` and `SPLIT`. */
  readonly ruleId?: string;
  /** The part of the rule's split that the value is of: its key, or its position from 0. */
  readonly variant?: string;
  readonly errorCode?: FlagErrorCode;
  readonly errorMessage?: string;
}

/** An error if the flag has no value for such a fallback. */
export function detailsOf<Value extends JsonValue>(
  key: string,
  fallback: Value,
  evaluation: FlagEvaluation,
): FlagDetails<Value> {
  const kind = kindOf(fallback);
  const value = valueAs(kind, evaluation);
  if (value !== undefined) return withReason(key, value as Value, evaluation);
  return failedDetails(key, fallback, {
    code: 'TYPE_MISMATCH',
    message: mismatchWords(key, evaluation, kind),
  });
}

/** The value, parsed if the flag has a format. */
export const parsedDetails = (key: string, evaluation: FlagEvaluation): FlagDetails =>
  withReason(key, parsedValue(evaluation), evaluation);

function withReason<Value>(
  key: string,
  value: Value,
  { reason, ruleId, variant }: FlagEvaluation,
): FlagDetails<Value> {
  if (ruleId === undefined) return { key, value, reason };
  return variant === undefined ? { key, value, reason, ruleId } : { key, value, reason, ruleId, variant };
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
