import { createHash } from 'node:crypto';
import type { FlagValue } from '@switchyard/core/api/targeting';

const MAX_LENGTH = 240;

/** Stands for all values beyond the limit of distinct values; no JSON text is empty. */
export const OTHER_VALUES = '';

/** The JSON of a value, as it is counted. Long texts are cut; a hash keeps different ones apart. */
export function usageValue(value: FlagValue): string {
  if (typeof value !== 'string' || value.length <= MAX_LENGTH) return JSON.stringify(value);
  const hash = createHash('sha256').update(value).digest('base64url').slice(0, 8);
  return JSON.stringify(`${value.slice(0, MAX_LENGTH).toWellFormed()}… (${hash})`);
}

export const parseUsageValue = (text: string): FlagValue | null =>
  text === OTHER_VALUES ? null : JSON.parse(text);
