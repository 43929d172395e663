import type { StopBody } from '@switchyard/core/api/management';
import type { SplitTestStatus } from '@switchyard/core/lifecycle/status';
import type { ResolveProperty } from '../../configuration/definitions/rule-context.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type ChangeInputOf, resolveChange } from './resolve-change.ts';

/** From which statuses each action is possible, and where it leads. */
const ACTIONS = {
  start: { from: ['draft'], to: 'running' },
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  stop: { from: ['running', 'paused'], to: 'stopped' },
  archive: { from: ['draft', 'stopped'], to: 'archived' },
} as const satisfies Record<string, { from: readonly SplitTestStatus[]; to: SplitTestStatus }>;

export type TransitionAction = keyof typeof ACTIONS;
export const TRANSITION_ACTIONS = Object.keys(ACTIONS) as TransitionAction[];

/** The property after an action on a split test; throws what is possible instead if the status does not allow it. */
export function applyTransition(
  input: ChangeInputOf,
  key: string,
  action: TransitionAction,
  decided: StopBody,
  resolve: ResolveProperty,
): PropertyConfiguration {
  const test = input.current.splitTests.find((candidate) => candidate.key === key);
  if (test === undefined) throw new ApiError('split_test_not_found');
  const { from, to } = ACTIONS[action];
  if (!(from as readonly SplitTestStatus[]).includes(test.status)) throw notAllowed(test.status, action);
  const entry = { key, status: to, ...decided };
  return resolveChange(
    input,
    { id: input.current.id, splitTests: [entry] },
    'merge',
    '/splitTests/0',
    resolve,
  );
}

function notAllowed(status: SplitTestStatus, action: TransitionAction): ApiError {
  const allowed = TRANSITION_ACTIONS.filter((each) =>
    (ACTIONS[each].from as readonly SplitTestStatus[]).includes(status),
  );
  const hint = allowed.length === 0 ? 'Nothing is possible from here.' : `Possible: ${allowed.join(', ')}.`;
  return new ApiError('transition_not_allowed', {
    message: `Cannot ${action} a split test that is ${status}. ${hint}`,
    details: { allowed },
  });
}
