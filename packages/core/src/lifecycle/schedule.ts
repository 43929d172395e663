import type { SplitTestStatus } from './status.ts';

/** The part of a split test that scheduling needs; times are Unix milliseconds. */
export interface ScheduledTest {
  readonly status: SplitTestStatus;
  readonly startAt: number | null;
  readonly stopAt: number | null;
}

export interface DueStep {
  readonly status: SplitTestStatus;
  /** The scheduled time. */
  readonly at: number;
}

/** The next scheduled step that is due. If both start and stop are overdue, it takes two steps. */
export function dueStep({ status, startAt, stopAt }: ScheduledTest, now: number): DueStep | undefined {
  if (status === 'draft') return due('running', startAt, now);
  return status === 'running' || status === 'paused' ? due('stopped', stopAt, now) : undefined;
}

function due(status: SplitTestStatus, at: number | null, now: number): DueStep | undefined {
  return at !== null && at <= now ? { status, at } : undefined;
}

/** The status after all due steps. */
export function scheduledStatus(test: ScheduledTest, now: number): SplitTestStatus {
  const step = dueStep(test, now);
  return step === undefined ? test.status : scheduledStatus({ ...test, status: step.status }, now);
}
