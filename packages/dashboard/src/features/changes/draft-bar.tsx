import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import classes from './draft-bar.module.css';
import type { Draft } from './use-draft.ts';

interface DraftBarProps {
  draft: Pick<Draft<object>, 'isDirty' | 'isOutdated' | 'restoredFrom' | 'discard'>;
  onSave: () => void;
  /** Why saving is not possible. */
  blocked?: string | undefined;
  /** What happened to the last change, if it is neither saved nor cancelled. */
  message?: string;
  /** Further buttons. */
  children?: ReactNode;
}

/** At the bottom of every form: whether there are unsaved changes, and the `Save` button. */
export function DraftBar({ draft, onSave, blocked, message, children }: DraftBarProps) {
  const reason = blocked ?? (draft.isDirty ? undefined : 'No unsaved changes');
  return (
    <div className={classes.bar} data-active={draft.isDirty || Boolean(message) || undefined}>
      <p role="status" className={classes.state}>
        {reason ?? 'Unsaved changes, kept in this browser'}
        {draft.isDirty && draft.restoredFrom !== undefined && (
          <>
            {' '}
            · from <RelativeTime at={draft.restoredFrom} />
          </>
        )}
        {draft.isOutdated && ' · Somebody saved a newer version; your changes will be merged into it.'}
        {message && <strong> · {message}</strong>}
      </p>
      <Group gap="xs">
        {children}
        {draft.isDirty && (
          <Button variant="default" onClick={draft.discard}>
            Discard
          </Button>
        )}
        <ReasonButton reason={reason} onClick={onSave}>
          Save
        </ReasonButton>
      </Group>
    </div>
  );
}
