import { Skeleton, Stack, Tabs } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useDraft } from '../changes/use-draft.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { AutomaticStopNotice } from './automatic-stop-notice.tsx';
import type { SplitTestDraft } from './editor/split-test-draft.ts';
import { SplitTestEditor } from './editor/split-test-editor.tsx';
import { PhaseList } from './phase-list.tsx';
import { SplitTestActions } from './split-test-actions.tsx';
import { phaseWords, titleOf } from './split-test-facts.ts';
import { SplitTestNextStep } from './split-test-next-step.tsx';
import { SplitTestStatus } from './split-test-status.tsx';
import { useRefreshOnChange } from './use-refresh-on-change.ts';

/** The largest part of all pages. */
const SplitTestResults = lazyPart(() =>
  import('./results/split-test-results.tsx').then((module) => module.SplitTestResults),
);

export function SplitTestPage() {
  const { key } = useParams({ strict: false }) as { key: string };
  const { configuration } = useProperty();
  const test = configuration.splitTests.find((each) => each.key === key);
  // Another test starts with fresh state.
  if (test !== undefined) return <SplitTestFrame key={test.key} test={test} />;
  return (
    <Page title="Split test not found">
      <EmptyState
        title={`There is no split test “${key}”`}
        action={<PropertyLink to="split-tests">Back to the list</PropertyLink>}
      >
        It may have been deleted. The history has its last state.
      </EmptyState>
    </Page>
  );
}

/** An empty tab means the results, or for a draft the editor. */
const DEFAULTS = { tab: '' };

function SplitTestFrame({ test }: { test: SplitTest }) {
  const { propertyId } = useProperty();
  useRefreshOnChange(test);
  const [state, setState] = useUrlState(DEFAULTS);
  const draft = useDraft<SplitTestDraft>(`${propertyId}/split-tests/${test.key}`, test, test.version);
  const tab = state.tab || (test.status === 'draft' ? 'edit' : 'results');
  return (
    <Page
      title={titleOf(test)}
      badges={
        <>
          <SplitTestStatus test={test} />
          <span className="dimmed">{phaseWords(test)}</span>
        </>
      }
      actions={<SplitTestActions test={test} hasUnsavedChanges={draft.isDirty} />}
      description={<SplitTestNextStep test={test} />}
    >
      <AutomaticStopNotice test={test} />
      <Tabs value={tab} onChange={(next) => setState({ tab: next ?? '' })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="results">Results</Tabs.Tab>
          <Tabs.Tab value="edit">Edit{draft.isDirty ? ' (unsaved)' : ''}</Tabs.Tab>
          <Tabs.Tab value="history">Phases &amp; history</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="results">
          <Suspense fallback={<Skeleton height={320} role="status" aria-label="Loading" />}>
            <SplitTestResults test={test} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="edit">
          <SplitTestEditor draft={draft} stored={test} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Stack>
            <PhaseList test={test} />
            <Panel title="History">
              <ItemHistory type="split-test" itemKey={test.key} />
            </Panel>
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
