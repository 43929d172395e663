import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Erasure } from '@switchyard/core/api/management';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { ErrorAlert } from '../../ui/error-alert.tsx';
import { Form } from '../../ui/form.tsx';
import { useInertBackground } from '../../ui/use-inert-background.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { rememberErasure } from './running-erasures.ts';

/** Erasing cannot be undone, so it asks for the id. */
export function EraseDialog({ visitorId, onClose }: { visitorId: string; onClose: () => void }) {
  useInertBackground();
  const { propertyId } = useProperty();
  const [typed, setTyped] = useState('');
  const erase = useMutation({
    mutationFn: () =>
      request<Static<typeof Erasure>>(propertyPath(propertyId, 'erasures'), {
        method: 'POST',
        body: { visitorId },
      }),
    onSuccess: ({ id }) => {
      rememberErasure(propertyId, { id, visitorId });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Erase visitor">
      <Form onSubmit={() => typed === visitorId && erase.mutate()}>
        <Stack>
          <p>
            All sessions, exposures, goals and feedback of this visitor are removed for good, also from the
            results of split tests. This cannot be undone.
          </p>
          <TextInput
            label="Type the visitor id to confirm"
            description={visitorId}
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <ErrorAlert error={erase.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              loading={erase.isPending}
              disabled={typed !== visitorId}
              title={typed === visitorId ? undefined : 'Type the visitor id first'}
            >
              Erase
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
