import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form } from '../../ui/fields/form.tsx';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import type { ReviewOutcome } from '../changes/change-request.ts';
import type { Verdict } from './results/results-types.ts';

interface VerdictDialogProps {
  title: string;
  verdict: Verdict | undefined;
  submitLabel: string;
  /** Something has to be chosen first. */
  isIncomplete?: boolean;
  /** Opens the review. */
  onSubmit: () => Promise<ReviewOutcome>;
  /** Default: `onClose` */
  onCancel?: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks what follows from a verdict. */
export function VerdictDialog(props: VerdictDialogProps) {
  const { title, verdict, submitLabel, isIncomplete = false, onSubmit, onClose, children } = props;
  useInertBackground();
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const submit = async () => {
    setReviewing(true);
    const { outcome } = await onSubmit();
    setReviewing(false);
    // What was entered stays when the review is cancelled.
    if (outcome === 'saved' || outcome === 'proposed') onClose();
  };
  return (
    <Modal opened={!isReviewing} onClose={onClose} title={title}>
      <Form onSubmit={() => void submit()}>
        <Stack>
          {verdict && (
            <Text size="sm" c="dimmed">
              {verdict.words}
            </Text>
          )}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onCancel ?? onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isIncomplete}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
