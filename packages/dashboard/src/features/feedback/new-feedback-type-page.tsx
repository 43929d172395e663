import { NewItemPage } from '../changes/new-item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { FeedbackType } from '../configuration/configuration-types.ts';
import { FeedbackTypeFields } from './feedback-type-fields.tsx';

type NewType = Omit<FeedbackType, 'version'>;

const EMPTY: NewType = { id: '', name: '', options: [], textInput: true };

export function NewFeedbackTypePage() {
  const form = useItemForm<NewType>({ type: 'feedback-type', item: EMPTY, page: 'feedback/types' });
  return (
    <NewItemPage noun="Feedback type" form={form} example="How was the checkout?" list="feedback">
      <FeedbackTypeFields form={form} />
    </NewItemPage>
  );
}
