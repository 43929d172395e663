import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ReasonButton } from '../../ui/reason-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { SessionList } from './session-list.tsx';
import { WhyPanel } from './why-panel.tsx';

/** Everything that is known about one visitor. */
export function VisitorPage() {
  const { may } = useProperty();
  const { visitorId } = useParams({ strict: false }) as { visitorId: string };
  const [isErasing, setErasing] = useState(false);
  const query = useMemo(() => ({ visitorId, bots: 'include' }), [visitorId]);
  const now = useMemo(() => Date.now(), []);
  return (
    <Page
      title="Visitor"
      description={<code>{visitorId}</code>}
      actions={
        <ReasonButton
          variant="default"
          reason={may('admin') ? undefined : 'You need the admin role'}
          onClick={() => setErasing(true)}
        >
          Erase visitor
        </ReasonButton>
      }
    >
      <ErasureProgress />
      <WhyPanel subject={{ visitorId }} defaultAt={now} />
      <Panel title="Sessions" flush>
        <SessionList query={query} empty="There are no sessions of this visitor." />
      </Panel>
      {isErasing && <EraseDialog visitorId={visitorId} onClose={() => setErasing(false)} />}
    </Page>
  );
}
