import type { SplitTestStatus } from './status.ts';

/** What visitors get of a test: a variation each, the winner, or nothing, so that pages show their own content. */
export type Serving = 'assigned' | 'winner' | 'nothing';

export function servingOf({
  status,
  winner,
}: {
  readonly status: SplitTestStatus;
  readonly winner: string | null;
}): Serving {
  if (status === 'running') return 'assigned';
  return status === 'stopped' && winner !== null ? 'winner' : 'nothing';
}
