import { Alert, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { CopyAction } from '../../ui/copy-action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TwoColumns } from '../../ui/two-columns.tsx';
import { DeleteItemPanel, type ItemUse } from '../changes/delete-item-panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { Configuration, FeedbackType } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
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
  const { draft, errors, message, blocked, readOnly } = form;
  return (
    <Page
      title={stored.name}
      badges={
        <span className="dimmed">
          <code>{stored.id}</code> <CopyAction text={stored.id} label="Copy id" />
        </span>
      }
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
      {message && (
        <Alert color="blue" role="status" icon={<Icon name="info" />}>
          {message}
        </Alert>
      )}
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
              <TextInput
                label="Name"
                maxLength={256}
                value={draft.value.name}
                error={errors('/name')}
                disabled={readOnly !== undefined}
                onChange={(event) => draft.change({ name: event.currentTarget.value })}
              />
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
      <DraftBar draft={draft} onSave={() => void form.save()} blocked={blocked} />
    </Page>
  );
}

/** The split tests that measure answers of a type. */
function typeUses({ splitTests }: Configuration, id: string): ItemUse[] {
  return splitTests
    .filter(({ goals, guardrails }) =>
      [...goals, ...guardrails].some((each) => typeof each !== 'string' && each.feedbackType === id),
    )
    .map(({ key, name, status }) => ({
      to: `split-tests/${encodeURIComponent(key)}`,
      label: name || key,
      detail: status,
    }));
}
