import { Tabs } from '@mantine/core';
import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Page } from '../../ui/page/page.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { FeedbackInbox } from './feedback-inbox.tsx';
import { FeedbackSnippets } from './feedback-snippets.tsx';
import { FeedbackTypeTable } from './feedback-type-table.tsx';
import { NewFeedbackTypePage } from './new-feedback-type-page.tsx';

const VIEW = { tab: 'inbox', new: '' } as const;

/** The inbox and the types of feedback; `?new=1` is the form for a new type. */
export function FeedbackPage() {
  const [{ tab, new: isNew }, change] = useUrlState(VIEW);
  const { configuration } = useProperty();
  if (isNew !== '') {
    return <NewFeedbackTypePage />;
  }
  const isEmpty = configuration.feedbackTypes.length === 0;
  return (
    <Page
      title="Feedback"
      actions={
        <>
          {!isEmpty && tab !== 'types' && <PeriodPicker />}
          <NewItemButton onClick={() => change({ new: '1' })}>New feedback type</NewItemButton>
        </>
      }
    >
      {isEmpty ? (
        <EmptyState
          title="No feedback types yet"
          snippet={<FeedbackSnippets type={{ id: 'rating', options: ['good'], textInput: true }} />}
        >
          A feedback type is a question to your visitors: answers to choose from, a text, or both. Create one
          with “New feedback type”, show it on your pages, and pass the answers on from your server, for
          example for a type with the id “rating”:
        </EmptyState>
      ) : (
        <Tabs
          value={tab === 'types' ? 'types' : 'inbox'}
          onChange={(next) => change({ tab: next ?? undefined })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="inbox">Inbox</Tabs.Tab>
            <Tabs.Tab value="types">Types</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="inbox">
            <FeedbackInbox />
          </Tabs.Panel>
          <Tabs.Panel value="types">
            <FeedbackTypeTable />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  );
}
