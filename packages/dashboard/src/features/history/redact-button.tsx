import { Button, TextInput } from '@mantine/core';
import type { HistoryRedaction } from '@switchyard/core/api/management';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { propertyPath, request } from '../../api.ts';
import { formatTime, plural } from '../../ui/format/format.ts';
import { ConfirmDialog } from '../../ui/page/confirm-dialog.tsx';
import { useMe } from '../accounts/use-me.ts';
import { useProperty } from '../configuration/property-context.tsx';

/** Removes a text from the history: first finds it, then redacts it. Only for owners. */
export function RedactButton() {
  const { account } = useMe();
  const [isOpen, setOpen] = useState(false);
  if (!account.isOwner) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Redact text…
      </Button>
      {isOpen && <RedactDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function RedactDialog({ onClose }: { onClose: () => void }) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const send = (dryRun: boolean) =>
    request<HistoryRedaction>(propertyPath(propertyId, 'history', 'redactions'), {
      method: 'POST',
      query: { dryRun },
      body: { text },
    });
  const find = useMutation({ mutationFn: () => send(true) });
  const redact = useMutation({
    mutationFn: () => send(false),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['history', propertyId] });
      onClose();
    },
  });
  const found = find.data;
  return (
    <ConfirmDialog
      title="Redact text of the history"
      confirmLabel={found ? 'Redact for good' : 'Find'}
      isPending={find.isPending || redact.isPending}
      error={redact.error ?? find.error}
      onConfirm={() => (found ? redact.mutate() : find.mutate())}
      onClose={onClose}
    >
      <TextInput
        label="Text"
        description="Such as an e-mail address. It is replaced by [redacted] in all changes and comments, and cannot be restored."
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          find.reset();
          redact.reset();
        }}
      />
      {found && (
        <p role="status">
          Found in {plural(found.entries.length, 'entry', 'entries')}
          {found.others > 0 && ` and ${plural(found.others, 'proposal or message', 'proposals or messages')}`}
          .
        </p>
      )}
      {found && (
        <ul className="bullets">
          {found.entries.slice(0, 20).map(({ id, at, entity }) => (
            <li key={id}>
              {entity.type} {entity.key}, {formatTime(at)}
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
