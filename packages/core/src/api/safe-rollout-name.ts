/** The name, in the history, of what stops whatever does harm. */
export const SAFE_ROLLOUT_NAME = 'safe rollout';
