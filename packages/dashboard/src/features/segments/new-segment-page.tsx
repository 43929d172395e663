import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { NewItemFields } from '../changes/new-item-fields.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { SegmentConditions } from './segment-conditions.tsx';

type NewSegment = Omit<ManagedSegment, 'version' | 'name'> & { name: string };

const EMPTY: NewSegment = { id: '', name: '', match: 'all', conditions: [] };

/** The form for a new segment; saving opens its page. */
export function NewSegmentPage() {
  const navigate = usePropertyNavigate();
  const form = useItemForm<NewSegment>({ type: 'segment', item: EMPTY, page: 'segments' });
  return (
    <Page
      title="New segment"
      actions={
        <Button variant="default" onClick={() => navigate('segments')}>
          Back to segments
        </Button>
      }
    >
      <Panel title="Segment">
        <Stack gap="sm" maw={560}>
          <NewItemFields form={form} example="Returning customers" />
        </Stack>
      </Panel>
      <SegmentConditions form={form} />
      <DraftBar draft={form.draft} onSave={() => void form.save()} blocked={form.blocked} />
    </Page>
  );
}
