import { SAFE_ROLLOUT_NAME } from '@switchyard/core/api/safe-rollout-name';

/** Who makes a change. */
export interface Actor {
  type: 'account' | 'token' | 'operator' | 'system';
  /** Id of the account or access token; null for operators on the command line and for the system. */
  id: string | null;
  name: string;
}

/** How a change was made. */
export type Via = 'dashboard' | 'token' | 'cli' | 'file' | 'schedule' | 'monitoring';

/** Operators have access to the machine, so the name of their account there is all that is known of them. */
export const OPERATOR: Actor = { type: 'operator', id: null, name: 'operator' };
export const SYSTEM: Actor = { type: 'system', id: null, name: 'Switchyard' };
/** Stops what does harm. */
export const SAFE_ROLLOUT: Actor = { type: 'system', id: null, name: SAFE_ROLLOUT_NAME };
