import { Stack, Text } from '@mantine/core';
import { EmptyState } from '../../../ui/page/empty-state.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { BrowserSnippet } from '../../configuration/browser-snippet.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { exposureSnippet } from './exposure-snippet.ts';
import { PreviewPanel } from './preview-panel.tsx';

/** A test without visitors: what will appear here, and how visitors get into the test. */
export function NoResults({ test }: { test: SplitTest }) {
  const isDraft = test.status === 'draft';
  if (test.status === 'stopped' || test.status === 'archived') {
    return (
      <Panel title="Results">
        <EmptyState title="This test ended without visitors">
          There is nothing to compare. Duplicate the test to run it again.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Stack gap="md">
      {test.status === 'running' && test.trafficAllocation === 0 && <PreviewPanel test={test} />}
      <Panel title="Results">
        <EmptyState title={emptyTitle(test)} snippet={<BrowserSnippet use={exposureSnippet(test)} />}>
          <Text>
            {isDraft
              ? 'Start the test, and put this on a page: it shows each visitor their variation, and counts them.'
              : 'Put this on a page and open it: it shows each visitor their variation, and counts them.'}{' '}
            Then you find here:
          </Text>
          <ul className="bullets">
            <li>the verdict in words: ship, roll back, keep going</li>
            <li>whether the figures can be trusted, with the sessions behind an alarm</li>
            <li>the goals and guardrails of each variation, and how the uplift develops</li>
            <li>feedback and sessions of visitors who converted, and of those who did not</li>
          </ul>
        </EmptyState>
      </Panel>
    </Stack>
  );
}

function emptyTitle({ status, phases }: SplitTest): string {
  if (status === 'draft') return 'This test has not started yet';
  return phases.length > 1
    ? 'This phase has no visitors; earlier phases are listed below'
    : 'No visitor has seen this test yet';
}
