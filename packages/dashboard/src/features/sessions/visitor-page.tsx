import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { PersonActions } from './person-actions.tsx';
import { SessionList } from './session-list.tsx';
import { WhyPanel } from './why-panel.tsx';

/** Everything that is known about one visitor. */
export function VisitorPage() {
  const { visitorId } = useParams({ strict: false }) as { visitorId: string };
  const query = useMemo(() => ({ visitorId, bots: 'include' }), [visitorId]);
  const now = useMemo(() => Date.now(), []);
  return (
    <Page
      title="Visitor"
      description={<code>{visitorId}</code>}
      actions={<PersonActions kind="visitor" id={visitorId} />}
    >
      <ErasureProgress />
      <WhyPanel subject={{ visitorId }} defaultAt={now} />
      <Panel title="Sessions" flush>
        <SessionList query={query} empty="There are no sessions of this visitor." />
      </Panel>
    </Page>
  );
}
