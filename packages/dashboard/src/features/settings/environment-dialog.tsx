import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { keyFromName } from '../../ui/fields/key-from-name.ts';
import { useReview } from '../changes/review-context.tsx';
import type { Environment } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

interface EnvironmentDialogProps {
  /** Undefined: a new one. */
  environment: Environment | undefined;
  onClose: () => void;
}

/** Creates or renames an environment. */
export function EnvironmentDialog({ environment, onClose }: EnvironmentDialogProps) {
  const { propertyId } = useProperty();
  const review = useReview();
  const [name, setName] = useState(environment?.name ?? '');
  const [ownId, setId] = useState<string>();
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const id = environment?.id ?? ownId ?? keyFromName(name);
  const save = async () => {
    setReviewing(true);
    const { outcome } = await review({
      title: environment ? `Rename the environment ${environment.name}` : `New environment ${name}`,
      method: environment ? 'PATCH' : 'PUT',
      path: propertyPath(propertyId, 'environments', id),
      body: { name: name.trim() },
      version: environment?.version,
      item: { type: 'environment', key: id },
    });
    setReviewing(false);
    if (outcome === 'saved') onClose();
  };
  return (
    <Modal
      opened={!isReviewing}
      onClose={onClose}
      title={environment ? `Rename ${environment.name}` : 'New environment'}
    >
      <Form onSubmit={() => void save()}>
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={256}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {environment === undefined && (
            <TextInput
              label="Id"
              description="Used in code; it cannot be changed later"
              required
              maxLength={128}
              value={id}
              onChange={(event) => setId(event.currentTarget.value)}
            />
          )}
          <Button type="submit">Save</Button>
        </Stack>
      </Form>
    </Modal>
  );
}
