import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useInertBackground } from '../hooks/use-inert-background.ts';
import { ErrorAlert } from './error-alert.tsx';

interface ConfirmDialogProps {
  title: string;
  confirmLabel: string;
  /** What follows from it. */
  children: ReactNode;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. Stays open until it is done, and says why if it is refused. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, children, isPending, error, onConfirm, onClose } = props;
  useInertBackground();
  return (
    <Modal opened title={title} onClose={onClose} closeOnClickOutside={!isPending}>
      <Stack>
        <div>{children}</div>
        <ErrorAlert error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={isPending} onClick={onConfirm} data-autofocus>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
