import { parseFlagValue } from '@switchyard/core/evaluation/flag-format';
import type { JsonValue } from '../../client/schema.ts';
import type { FlagEvaluation } from './flag-state.ts';

/** How a flag is read. The type of a fallback tells; anything but these is a mistake. */
export type FlagKind = 'boolean' | 'string' | 'number' | 'json' | (string & {});

export const kindOf = (fallback: unknown): FlagKind =>
  typeof fallback === 'object' ? 'json' : typeof fallback;

/** By result: the evaluator returns the same object for the same result. */
const parsedValues = new WeakMap<FlagEvaluation, JsonValue>();

/** A flag with a format has text, which is parsed when it is first read. */
export function parsedValue(evaluation: FlagEvaluation): JsonValue {
  const { value, format } = evaluation;
  if (format === undefined) return value;
  const known = parsedValues.get(evaluation);
  if (known !== undefined) return known;
  // The service accepts no values that are not of the format.
  const parsed = parseFlagValue(value, format);
  const result = parsed === undefined ? value : parsed;
  parsedValues.set(evaluation, result);
  return result;
}

/** `undefined` if the flag cannot be read like this. */
export function valueAs(kind: FlagKind, evaluation: FlagEvaluation): JsonValue | undefined {
  const { value, format } = evaluation;
  if (kind === 'json') return format === 'json' ? parsedValue(evaluation) : undefined;
  const candidate = kind === 'number' ? parsedValue(evaluation) : value;
  return typeof candidate === kind ? candidate : undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  boolean: 'a boolean',
  string: 'a string',
  number: 'a number',
  json: 'JSON',
};

/** Why `valueAs` returns nothing, and what to do. */
export function mismatchWords(key: string, { value, format }: FlagEvaluation, kind: FlagKind): string {
  const own = format ?? typeof value;
  const needsFormat = own === 'string' && (kind === 'number' || kind === 'json');
  const fallback = own === 'json' ? 'an object, an array or null' : NAMES[own];
  const advice = needsFormat ? `Give it the format ${kind}, or read` : 'Read';
  return `The flag "${key}" is ${NAMES[own]}, not ${NAMES[kind] ?? kind}. ${advice} it with ${fallback} as fallback.`;
}
