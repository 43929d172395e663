import { useParams } from '@tanstack/react-router';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { ItemNameField } from '../changes/item-name-field.tsx';
import { ItemPage } from '../changes/item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration, FeedbackType } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { testUses } from '../split-tests/test-uses.ts';
import { FeedbackSnippets } from './feedback-snippets.tsx';
import { FeedbackTypeFields } from './feedback-type-fields.tsx';

/** One feedback type. */
export function FeedbackTypePage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const type = useProperty().configuration.feedbackTypes.find(({ id }) => id === key);
  if (type !== undefined) return <FeedbackTypeEditor key={key} stored={type} />;
  return <ItemNotFound noun="feedback type" id={key} list="feedback" listName="Feedback" />;
}

function FeedbackTypeEditor({ stored }: { stored: FeedbackType }) {
  const { configuration } = useProperty();
  const form = useItemForm<FeedbackType>({ type: 'feedback-type', item: stored, page: 'feedback/types' });
  return (
    <ItemPage
      stored={stored}
      form={form}
      actions={
        <>
          <PropertyLink to="feedback" search={{ feedbackTypeId: stored.id }}>
            Entries
          </PropertyLink>
          <PropertyLink to="feedback" search={{ tab: 'types' }}>
            All types
          </PropertyLink>
        </>
      }
    >
      <TwoColumns
        main={
          <>
            <FeedbackTypeFields form={form} />
            <Panel title="Submit feedback">
              <FeedbackSnippets type={stored} />
            </Panel>
          </>
        }
        side={
          <>
            <Panel title="Details">
              <ItemNameField form={form} />
            </Panel>
            <DeleteItemPanel
              type="feedback-type"
              item={stored}
              uses={typeUses(configuration, stored.id)}
              list="feedback"
            >
              Feedback of a deleted type stays, but new feedback of it is refused.
            </DeleteItemPanel>
            <Panel title="History">
              <ItemHistory type="feedback-type" itemKey={stored.id} />
            </Panel>
          </>
        }
      />
    </ItemPage>
  );
}

/** The split tests and measured flags that measure answers of a type. */
const typeUses = (configuration: Configuration, id: string): ItemUse[] =>
  testUses(
    configuration,
    (each) => typeof each !== 'string' && 'feedbackType' in each && each.feedbackType === id,
    ({ status }) => status,
  );
