export type SplitTestStatus = 'draft' | 'running' | 'paused' | 'stopped' | 'archived';

const NEXT: Readonly<Record<SplitTestStatus, readonly SplitTestStatus[]>> = {
  draft: ['running', 'archived'],
  running: ['paused', 'stopped'],
  paused: ['running', 'stopped'],
  stopped: ['archived'],
  archived: [],
};

/** The allowed transitions. A stopped test cannot be resumed, because its results are final. */
export function nextStatuses(status: SplitTestStatus): readonly SplitTestStatus[] {
  return NEXT[status];
}
