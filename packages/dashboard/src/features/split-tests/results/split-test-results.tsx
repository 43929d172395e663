import type { SplitTest } from '../../configuration/configuration-types.ts';

/** The results of a split test. */
export function SplitTestResults(_props: { test: SplitTest }) {
  return null;
}
