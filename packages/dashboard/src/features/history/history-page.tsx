import { Tabs } from '@mantine/core';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Page } from '../../ui/page/page.tsx';
import { ChangeList } from './change-list.tsx';
import { ProposalList } from './proposal-list.tsx';
import { RedactButton } from './redact-button.tsx';
import { useProposals } from './use-proposals.ts';

const URL_DEFAULTS = { tab: 'changes' } as const;

/** Who changed what, when and why; and the changes that wait for approval. */
export function HistoryPage() {
  const [{ tab }, change] = useUrlState(URL_DEFAULTS);
  const open = useProposals('open').data?.proposals.length ?? 0;
  return (
    <Page
      title="History"
      description="Every change of this property, whoever made it. Earlier versions can be restored, and deleted items too."
      actions={<RedactButton />}
    >
      <Tabs value={tab} onChange={(value) => change({ tab: value ?? undefined })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="changes">Changes</Tabs.Tab>
          <Tabs.Tab value="proposals">{open > 0 ? `Proposals (${open} open)` : 'Proposals'}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="changes">
          <ChangeList />
        </Tabs.Panel>
        <Tabs.Panel value="proposals">
          <ProposalList />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
