import type { WebhookEventType } from '@switchyard/core/api/webhooks';

const DESCRIPTIONS: Record<WebhookEventType, string> = {
  'configuration.changed': 'Something in this property was changed, by whomever',
  'verdict.changed': 'The decision on a split test has changed',
  'test.unhealthy': 'A healthy split test has become unhealthy',
  'goal.target_reached': 'A goal has reached its target',
  'feedback.submitted': 'Feedback was submitted',
  'schedule.executed': 'A schedule has started or stopped a test, or changed a rollout',
  'harm.stopped': 'Harm was proven, and a variation, a test or a rollout was stopped',
  'rollout.stayed': 'A rollout had too little data for its next step for too long',
};

export const EVENTS = (Object.keys(DESCRIPTIONS) as WebhookEventType[]).map((value) => ({
  value,
  label: value,
  description: DESCRIPTIONS[value],
}));

const ERRORS: Record<string, string> = {
  gone: 'The receiver answered 410, so the event was given up',
  timeout: 'No response within 10 seconds',
  refused_address: 'The address is private, which the server does not allow',
  insecure_redirect: 'The redirect led from https to http',
  invalid_redirect: 'The redirect could not be followed',
  too_many_redirects: 'More than three redirects',
  expired: 'The webhook was disabled for too long',
  ECONNREFUSED: 'The receiver refused the connection',
  ENOTFOUND: 'The host name is unknown',
};

/** Why the last attempt failed, in words. */
export function describeFailure(lastError: string | null, lastStatus: number | null): string | undefined {
  if (lastError === null) return undefined;
  if (lastError === 'http_status') return `The receiver answered with status ${lastStatus}`;
  return ERRORS[lastError] ?? `Failed: ${lastError}`;
}
