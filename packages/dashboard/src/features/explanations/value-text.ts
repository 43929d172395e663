import type { FlagValue } from '@switchyard/core/api/targeting';
import type { Flag } from '../configuration/configuration-types.ts';

/** Writes the values of a flag as its code gets them: texts in quotes, numbers and JSON without. */
export function valueWriter(
  flags: readonly Pick<Flag, 'key' | 'format'>[],
  flagKey: string,
): (value: FlagValue | null) => string {
  const flag = flags.find(({ key }) => key === flagKey);
  return (value) => (flag?.format !== undefined && typeof value === 'string' ? value : JSON.stringify(value));
}
