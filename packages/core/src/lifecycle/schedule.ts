import type { SplitTestStatus } from './status.ts';

/** What the schedule needs to know of a split test; times are Unix milliseconds. */
export interface ScheduledTest {
  readonly status: SplitTestStatus;
  readonly startAt: number | null;
  readonly stopAt: number | null;
}

export interface DueStep {
  readonly status: SplitTestStatus;
  /** When it was to happen. */
  readonly at: number;
}

/** The next step that the schedule asks for by now. A test that is late for both its start and its stop takes two. */
export function dueStep({ status, startAt, stopAt }: ScheduledTest, now: number): DueStep | undefined {
  if (status === 'draft') return due('running', startAt, now);
  return status === 'running' || status === 'paused' ? due('stopped', stopAt, now) : undefined;
}

function due(status: SplitTestStatus, at: number | null, now: number): DueStep | undefined {
  return at !== null && at <= now ? { status, at } : undefined;
}

/** The status that the schedule makes of the given one by now. */
export function scheduledStatus(test: ScheduledTest, now: number): SplitTestStatus {
  const step = dueStep(test, now);
  return step === undefined ? test.status : scheduledStatus({ ...test, status: step.status }, now);
}
