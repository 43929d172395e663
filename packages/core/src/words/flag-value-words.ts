import type { FlagValue } from '../api/targeting.ts';
import { quoteValue } from './quote-value.ts';

/** Long texts are cut. */
export const flagValueWords = (value: FlagValue | null): string =>
  typeof value === 'string' ? quoteValue(value) : String(value);
