import type { Audience } from '@switchyard/core/api/audience';
import { missingIn } from './audience-gaps.ts';

/** More does not fit into the address of a request. */
const MAX_AUDIENCE = 8000;

/** As the planner expects it; undefined if there is none, an incomplete one, or one that is too long. */
export function plannedAudience(audience: Audience | null | undefined): string | undefined {
  if (!audience || audience.conditions.length === 0 || missingIn(audience).length > 0) return undefined;
  const text = JSON.stringify(audience);
  return encodeURIComponent(text).length > MAX_AUDIENCE ? undefined : text;
}
