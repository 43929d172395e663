import { Button, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import '../../ui/mantine-form-styles.ts';
import type { ApiKey } from './key-page.tsx';

interface NewKeyDialogProps {
  onClose: () => void;
  onCreate: (kind: ApiKey['kind'], name: string) => Promise<void>;
}

export function NewKeyDialog({ onClose, onCreate }: NewKeyDialogProps) {
  const [kind, setKind] = useState<ApiKey['kind']>('public');
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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Stack>
          <Radio.Group label="Kind" value={kind} onChange={(value) => setKind(value as ApiKey['kind'])}>
            <Stack gap="xs" mt={4}>
              <Radio
                value="public"
                label="Public"
                description="For pages and apps: reads the running tests, records exposures and visits"
              />
              <Radio
                value="secret"
                label="Secret"
                description="For servers: everything, including goals, flags, feedback and reading results"
              />
            </Stack>
          </Radio.Group>
          <TextInput
            label="Name"
            description="What the key is for, such as “website” or “checkout service”"
            required
            withAsterisk={false}
            maxLength={256}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit">Save</Button>
        </Stack>
      </form>
    </Modal>
  );
}
