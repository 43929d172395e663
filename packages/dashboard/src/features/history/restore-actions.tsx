import { Alert } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './change-list.module.css';
import { currentVersion, type HistoryEntry } from './history-words.ts';

type State = 'before' | 'after';

interface RestoreActionsProps {
  entry: HistoryEntry;
  name: string;
  isOpen: boolean;
}

/** Brings an item back to its state before or after an entry, as a new change. */
export function RestoreActions({ entry, name, isOpen }: RestoreActionsProps) {
  const { propertyId, configuration } = useProperty();
  const review = useReview();
  const [isRestored, setRestored] = useState(false);
  const reason = useReason(entry);
  const { id, entity, action } = entry;
  // The text of a deleted key is not stored; the first entry of an item has nothing before it.
  if (entity.type === 'key') return null;
  const states: State[] = action === 'delete' ? ['before'] : ['before', 'after'];
  const isNewest = currentVersion(configuration, entity) === entry.version;
  const restore = async (state: State) => {
    const deletes = action === 'create' && state === 'before';
    const { outcome } = await review({
      title: deletes ? `Undo the creation of ${name}` : `Restore ${name} to its state ${state} this change`,
      confirmLabel: deletes ? 'Delete' : 'Restore',
      isDestructive: deletes,
      method: 'POST',
      path: propertyPath(propertyId, 'history', id, 'restore'),
      body: { state },
    });
    if (outcome === 'saved') setRestored(true);
  };
  return (
    <div className={classes.actions}>
      {states
        // A deleted item comes back with one click; everything else is first looked at.
        .filter(
          (state) =>
            (isOpen || action === 'delete') && !(entity.type === 'property' && isFirst(entry, state)),
        )
        .map((state) => (
          <ReasonButton
            key={state}
            size="compact-xs"
            variant="default"
            reason={reason(state)}
            label={`${labelOf(entry, state, isNewest)}: ${name}, version ${entry.version}`}
            onClick={() => void restore(state)}
          >
            {labelOf(entry, state, isNewest)}
          </ReasonButton>
        ))}
      {isRestored && entity.type === 'webhook' && action === 'delete' && (
        <Alert color="blue" role="status" title={`The webhook “${name}” is back with a new secret`}>
          Nobody has seen that secret.{' '}
          <PropertyLink to="settings" search={{ tab: 'webhooks', webhook: entity.key }}>
            Open the webhook and replace its secret
          </PropertyLink>{' '}
          to get one for your receiver.
        </Alert>
      )}
    </div>
  );
}

const isFirst = ({ action }: HistoryEntry, state: State) => action === 'create' && state === 'before';

function labelOf({ action }: HistoryEntry, state: State, isNewest: boolean): string {
  if (action === 'delete') return 'Restore';
  if (state === 'after') return 'Restore this version';
  if (action === 'create') return 'Undo the creation';
  // Later changes would be undone as well.
  return isNewest ? 'Undo' : 'Restore the version before';
}

/** Why a state cannot be restored; undefined: it can. */
function useReason(entry: HistoryEntry): (state: State) => string | undefined {
  const { configuration, may } = useProperty();
  const { entity, action, version } = entry;
  const current = currentVersion(configuration, entity);
  const isAdminOnly = ['property', 'environment', 'webhook', 'member'].includes(entity.type);
  return (state) => {
    const deletes = action === 'create' && state === 'before';
    const role = isAdminOnly || deletes ? 'admin' : 'editor';
    if (!may(role)) return `You need the ${role} role`;
    if (state === 'after' && current === version) return 'It is in this state now';
    if (deletes && current === undefined && entity.type !== 'member') return 'It does not exist any more';
    if (action === 'delete' && current !== undefined) return 'It exists again';
    return undefined;
  };
}
