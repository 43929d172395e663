import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Erasure, ErasureBody, ErasurePlan } from '@switchyard/core/api/management';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { rememberErasure } from './running-erasures.ts';

/** What to erase, in words and in the API. */
export interface ErasedSubject {
  kind: string;
  /** What has to be typed to confirm. */
  asked: string;
  name: string;
  body: ErasureBody;
}

/** Erasing cannot be undone, so it says what will go, and asks for the id. */
export function EraseDialog({ subject, onClose }: { subject: ErasedSubject; onClose: () => void }) {
  useInertBackground();
  const { propertyId } = useProperty();
  const { kind, asked, name, body } = subject;
  const [typed, setTyped] = useState('');
  const path = propertyPath(propertyId, 'erasures');
  const plan = useQuery({
    queryKey: ['erasure-plan', propertyId, body],
    queryFn: ({ signal }) =>
      request<ErasurePlan>(path, { method: 'POST', query: { dryRun: true }, body, signal }),
    gcTime: 0,
  });
  const erase = useMutation({
    mutationFn: () => request<Static<typeof Erasure>>(path, { method: 'POST', body }),
    onSuccess: ({ id }) => {
      rememberErasure(propertyId, { id, kind, name });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Erase ${kind}`}>
      <Form onSubmit={() => typed === name && erase.mutate()}>
        <Stack>
          <p aria-live="polite">{plan.data?.summary[0] ?? (plan.error ? '' : 'Counting what will go …')}</p>
          <p>
            It is removed for good, also from the results of split tests, and nothing more is stored about
            erased visitors, users and sessions. This cannot be undone.
          </p>
          <TextInput
            label={`Type the ${asked} to confirm`}
            description={name}
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <ErrorAlert error={erase.error ?? plan.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              loading={erase.isPending}
              disabled={typed !== name}
              title={typed === name ? undefined : `Type the ${asked} first`}
            >
              Erase
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
