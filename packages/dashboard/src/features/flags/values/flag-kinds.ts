import type { FlagFormat, FlagType, FlagValue } from '@switchyard/core/api/targeting';

/** What the values of a flag are, as people see it: its type, or what its texts stand for. */
export type FlagKind = 'boolean' | 'text' | FlagFormat;

interface FlagValues {
  type: FlagType;
  format?: FlagFormat | undefined;
}

interface KindWords {
  label: string;
  hint: string;
  /** Where a new flag is off. */
  defaultValue: FlagValue;
}

export const KINDS: Record<FlagKind, KindWords> = {
  boolean: { label: 'On or off', hint: 'Your code gets true or false.', defaultValue: false },
  text: { label: 'Text', hint: 'Your code gets a text.', defaultValue: '' },
  number: { label: 'Number', hint: 'Your code gets a number.', defaultValue: '0' },
  json: {
    label: 'JSON',
    hint: 'Your code gets the parsed JSON, such as an object with several settings.',
    defaultValue: '{}',
  },
};

/** Kinds of the type string, which can be changed into each other. */
export const TEXT_KINDS = ['text', 'number', 'json'] as const;

export const kindOptions = <Kind extends FlagKind>(kinds: readonly Kind[]) =>
  kinds.map((kind) => ({ value: kind, label: KINDS[kind].label }));

export const kindOf = ({ type, format }: FlagValues): FlagKind =>
  type === 'boolean' ? 'boolean' : (format ?? 'text');

/** @example valuesOf('number') // { type: 'string', format: 'number' } */
export function valuesOf(kind: FlagKind): FlagValues {
  if (kind === 'boolean') return { type: 'boolean', format: undefined };
  return { type: 'string', format: kind === 'text' ? undefined : kind };
}
