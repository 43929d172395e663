import { Page } from '../../../ui/page/page.tsx';
import { useDraft } from '../../changes/use-draft.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { usePropertyNavigate } from '../../configuration/use-property-navigate.ts';
import { copyOf, EMPTY_DRAFT, type SplitTestDraft } from './split-test-draft.ts';
import { SplitTestEditor } from './split-test-editor.tsx';

/** @param from key of the test that is copied; empty: none */
export function NewSplitTestPage({ from }: { from: string }) {
  const { propertyId, configuration } = useProperty();
  const navigate = usePropertyNavigate();
  const original = configuration.splitTests.find(({ key }) => key === from);
  const draft = useDraft<SplitTestDraft>(
    // `+` is not allowed in keys.
    `${propertyId}/split-tests/+new${original ? `/${from}` : ''}`,
    original ? copyOf(original) : EMPTY_DRAFT,
  );
  return (
    <Page
      title="New split test"
      description={
        <>
          <PropertyLink to="split-tests">Split tests</PropertyLink> · It starts as a draft: nobody sees it
          until you start it.
        </>
      }
    >
      <SplitTestEditor
        draft={draft}
        onSaved={({ key }) => navigate(`split-tests/${encodeURIComponent(key)}`)}
        onDiscard={original && (() => navigate('split-tests'))}
      />
    </Page>
  );
}
