import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { NewItemFields } from '../changes/new-item-fields.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { FeedbackType } from '../configuration/configuration-types.ts';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { FeedbackTypeFields } from './feedback-type-fields.tsx';

type NewType = Omit<FeedbackType, 'version'>;

const EMPTY: NewType = { id: '', name: '', options: [], textInput: true };

/** The form for a new feedback type; saving opens its page. */
export function NewFeedbackTypePage() {
  const navigate = usePropertyNavigate();
  const form = useItemForm<NewType>({ type: 'feedback-type', item: EMPTY, page: 'feedback/types' });
  return (
    <Page
      title="New feedback type"
      actions={
        <Button variant="default" onClick={() => navigate('feedback')}>
          Back to feedback
        </Button>
      }
    >
      <Panel title="Feedback type">
        <Stack gap="sm" maw={560}>
          <NewItemFields form={form} example="How was the checkout?" />
        </Stack>
      </Panel>
      <FeedbackTypeFields form={form} />
      <DraftBar draft={form.draft} onSave={() => void form.save()} blocked={form.blocked} />
    </Page>
  );
}
