import { propertyPath } from '../../api.ts';
import type { ReviewOutcome } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { titleOf } from './split-test-facts.ts';
import { StartChecklist } from './start-checklist.tsx';

export type TransitionAction = 'start' | 'pause' | 'resume' | 'stop' | 'archive';

export const ACTION_LABELS: Record<TransitionAction, string> = {
  start: 'Start',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  archive: 'Archive',
};

const STATUS_AFTER: Record<TransitionAction, SplitTest['status']> = {
  start: 'running',
  pause: 'paused',
  resume: 'running',
  stop: 'stopped',
  archive: 'archived',
};

export type StopDecision = Pick<SplitTest, 'winner' | 'decision'>;

/** Moves a test along its life after a review. */
export function useTransition(test: SplitTest) {
  const { propertyId } = useProperty();
  const review = useReview();
  return (action: TransitionAction, decided?: StopDecision): Promise<ReviewOutcome> =>
    review({
      title: `${ACTION_LABELS[action]} split test ${titleOf(test)}`,
      confirmLabel: ACTION_LABELS[action],
      method: 'POST',
      path: propertyPath(propertyId, 'split-tests', test.key, action),
      ...(decided && { body: decided }),
      item: { type: 'split-test', key: test.key },
      impact: {
        type: 'split-test',
        key: test.key,
        definition: { ...test, ...decided, status: STATUS_AFTER[action] },
      },
      isDestructive: action === 'stop',
      ...(action === 'start' && { details: <StartChecklist test={test} /> }),
    });
}
