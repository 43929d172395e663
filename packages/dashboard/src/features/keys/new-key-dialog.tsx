import { Button, Modal, Stack, TextInput } from '@mantine/core';
import type { ManagedKey } from '@switchyard/core/api/management';
import { useState } from 'react';
import { Form } from '../../ui/fields/form.tsx';
import { OptionList } from '../../ui/fields/option-list.tsx';

const KINDS = [
  {
    value: 'public',
    label: 'Public',
    description: 'For pages and apps: reads the running tests, records exposures and visits',
  },
  {
    value: 'secret',
    label: 'Secret',
    description: 'For servers: everything, including goals, flags, feedback and reading results',
  },
] as const;

interface NewKeyDialogProps {
  onClose: () => void;
  onCreate: (kind: ManagedKey['kind'], name: string) => Promise<void>;
}

export function NewKeyDialog({ onClose, onCreate }: NewKeyDialogProps) {
  const [kind, setKind] = useState<ManagedKey['kind']>('public');
  const [name, setName] = useState('');
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const create = async () => {
    setReviewing(true);
    await onCreate(kind, name.trim());
    setReviewing(false);
  };
  return (
    <Modal opened={!isReviewing} onClose={onClose} title="New API key">
      <Form onSubmit={() => void create()}>
        <Stack>
          <OptionList label="Kind" options={KINDS} value={[kind]} onChange={([next]) => setKind(next!)} />
          <TextInput
            label="Name"
            description="What the key is for, such as “website” or “checkout service”"
            required
            maxLength={256}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit">Save</Button>
        </Stack>
      </Form>
    </Modal>
  );
}
