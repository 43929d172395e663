import { Alert, Button, Group } from '@mantine/core';
import type { ManagedKey } from '@switchyard/core/api/management';
import { Icon } from '../../ui/page/icon.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';

/** A secret key right after its creation: the only time it is shown. */
export function CreatedKey({ created, onClose }: { created: ManagedKey; onClose: () => void }) {
  const isSecret = created.kind === 'secret';
  return (
    <Alert
      color="green"
      role="status"
      icon={<Icon name="check" />}
      title={`Created the key “${created.name}”`}
    >
      {isSecret && <p>Copy it now: it is stored only as a hash and cannot be shown again.</p>}
      <Snippet label="the key" code={created.key ?? ''} />
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          {isSecret ? 'I have stored it' : 'Close'}
        </Button>
      </Group>
    </Alert>
  );
}
