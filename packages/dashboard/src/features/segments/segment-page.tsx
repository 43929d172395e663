import { useParams } from '@tanstack/react-router';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { ItemNameField } from '../changes/item-name-field.tsx';
import { ItemPage } from '../changes/item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { MatchingVisitorsPanel } from './matching-visitors-panel.tsx';
import { SegmentConditions } from './segment-conditions.tsx';
import { segmentUses } from './segment-uses.ts';

/** One segment. */
export function SegmentPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const segment = useProperty().configuration.segments.find(({ id }) => id === key);
  if (segment !== undefined) return <SegmentEditor key={key} stored={segment} />;
  return <ItemNotFound noun="segment" id={key} list="segments" listName="Back to the list" />;
}

function SegmentEditor({ stored }: { stored: ManagedSegment }) {
  const { configuration } = useProperty();
  const form = useItemForm<ManagedSegment>({ type: 'segment', item: stored, page: 'segments' });
  const { draft } = form;
  return (
    <ItemPage
      stored={stored}
      form={form}
      actions={<PropertyLink to="segments">Back to the list</PropertyLink>}
    >
      <TwoColumns
        main={<SegmentConditions form={form} />}
        side={
          <>
            <Panel title="Details">
              <ItemNameField form={form} />
            </Panel>
            <MatchingVisitorsPanel segment={stored} isDraft={draft.isDirty} />
            <DeleteItemPanel
              type="segment"
              item={stored}
              uses={segmentUses(configuration, stored.id)}
              list="segments"
            >
              A segment can be deleted when nothing uses it.
            </DeleteItemPanel>
          </>
        }
      />
      <Panel title="History">
        <ItemHistory type="segment" itemKey={stored.id} />
      </Panel>
    </ItemPage>
  );
}
