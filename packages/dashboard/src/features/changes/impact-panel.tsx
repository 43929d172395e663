import type { ChangeRequest } from './change-request.ts';

/** Who would be affected by a change, from the sessions of the last days. */
export function ImpactPanel(_props: { impact: NonNullable<ChangeRequest['impact']> }) {
  return null;
}
