import type { ReportedTest } from './reported-test.ts';
import { isScheduled } from './split-test-facts.ts';
import classes from './split-test-status.module.css';

const LABELS: Record<ReportedTest['status'], string> = {
  draft: 'Draft',
  running: 'Running',
  paused: 'Paused',
  stopped: 'Stopped',
  archived: 'Archived',
};

export function SplitTestStatus({ test }: { test: ReportedTest }) {
  return (
    <span className={classes.status} data-status={test.status}>
      {isScheduled(test) ? 'Scheduled' : LABELS[test.status]}
    </span>
  );
}
