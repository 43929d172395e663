export type SplitTestStatus = 'draft' | 'running' | 'paused' | 'stopped' | 'archived';

const NEXT: Readonly<Record<SplitTestStatus, readonly SplitTestStatus[]>> = {
  draft: ['running', 'archived'],
  running: ['paused', 'stopped'],
  paused: ['running', 'stopped'],
  stopped: ['archived'],
  archived: [],
};

/** Where a test may go from a status. What was counted under an end must not go on, so nothing leads back. */
export function nextStatuses(status: SplitTestStatus): readonly SplitTestStatus[] {
  return NEXT[status];
}
