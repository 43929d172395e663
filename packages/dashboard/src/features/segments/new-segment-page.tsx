import { NewItemPage } from '../changes/new-item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { SegmentConditions } from './segment-conditions.tsx';

type NewSegment = Omit<ManagedSegment, 'version' | 'name'> & { name: string };

const EMPTY: NewSegment = { id: '', name: '', match: 'all', conditions: [] };

export function NewSegmentPage() {
  const form = useItemForm<NewSegment>({ type: 'segment', item: EMPTY, page: 'segments' });
  return (
    <NewItemPage noun="Segment" form={form} example="Returning customers" list="segments">
      <SegmentConditions form={form} />
    </NewItemPage>
  );
}
