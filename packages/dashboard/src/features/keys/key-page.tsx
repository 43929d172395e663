import type { KeyList, ManagedKey } from '@switchyard/core/api/management';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { RowAction } from '../../ui/lists/row-action.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { CopyAction } from '../../ui/page/copy-action.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { CreatedKey } from './created-key.tsx';
import classes from './key-page.module.css';
import { NewKeyDialog } from './new-key-dialog.tsx';

export function KeyPage() {
  const { propertyId, missingRole } = useProperty();
  const client = useQueryClient();
  const review = useReview();
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<ManagedKey>();
  const queryKey = ['keys', propertyId];
  const keys = useQuery({
    queryKey,
    queryFn: ({ signal }) => request<Static<typeof KeyList>>(propertyPath(propertyId, 'keys'), { signal }),
  });
  const refresh = () => client.invalidateQueries({ queryKey });
  const create = async (kind: ManagedKey['kind'], name: string) => {
    const outcome = await review({
      title: `New ${kind} key`,
      method: 'POST',
      path: propertyPath(propertyId, 'keys'),
      body: { kind, name },
    });
    if (outcome.outcome !== 'saved') return;
    setNew(false);
    setCreated(outcome.response as ManagedKey);
    void refresh();
  };
  const remove = async (key: ManagedKey) => {
    const outcome = await review({
      title: `Delete the ${key.kind} key “${key.name}”`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
      path: propertyPath(propertyId, 'keys', key.id),
    });
    if (outcome.outcome === 'saved') void refresh();
  };
  const reason = missingRole('admin');
  return (
    <Page
      title="API keys"
      description="Browsers use a public key; servers use a secret key, which must never reach a browser."
      actions={
        <ReasonButton leftSection={<Icon name="plus" />} reason={reason} onClick={() => setNew(true)}>
          New API key
        </ReasonButton>
      }
    >
      {created && <CreatedKey created={created} onClose={() => setCreated(undefined)} />}
      <Panel title="Keys" flush hint={reason && `Changing keys: ${reason.toLowerCase()}.`}>
        <Loaded query={keys} what="the API keys">
          {({ keys: list }) =>
            list.length === 0 ? (
              <div className={classes.empty}>
                <EmptyState title="No API keys">
                  Create a public key for your pages and a secret key for your servers.
                </EmptyState>
              </div>
            ) : (
              <KeyTable keys={list} reason={reason} onDelete={(key) => void remove(key)} />
            )
          }
        </Loaded>
      </Panel>
      {isNew && <NewKeyDialog onClose={() => setNew(false)} onCreate={create} />}
    </Page>
  );
}

interface KeyTableProps {
  keys: readonly ManagedKey[];
  /** Why deleting is not possible. */
  reason: string | undefined;
  onDelete: (key: ManagedKey) => void;
}

function KeyTable({ keys, reason, onDelete }: KeyTableProps) {
  return (
    <StackedTable head={['Name', 'Kind', 'Key', 'Created', 'Last used', '']}>
      {keys.map((key) => (
        <tr key={key.id}>
          <td data-label="Name">{key.name}</td>
          <td data-label="Kind">
            <span className="badge">{key.kind}</span>
          </td>
          <td data-label="Key">
            <span className={classes.key}>
              <code>{key.key ?? `${key.prefix}…${key.lastFour}`}</code>
              {key.key !== null && <CopyAction text={key.key} label={`Copy the key “${key.name}”`} />}
            </span>
          </td>
          <td data-label="Created">
            <RelativeTime at={key.createdAt} />
          </td>
          <td data-label="Last used">
            {key.lastUsedAt === null ? (
              <span className="dimmed">never</span>
            ) : (
              <RelativeTime at={key.lastUsedAt} />
            )}
          </td>
          <td>
            <RowAction
              label={`Delete the ${key.kind} key “${key.name}”`}
              reason={reason}
              isDestructive
              onClick={() => onDelete(key)}
            >
              Delete
            </RowAction>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}
