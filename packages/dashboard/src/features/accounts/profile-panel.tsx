import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, request } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import { Form } from '../../ui/fields/form.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { meQuery, useMe } from './use-me.ts';

export function ProfilePanel() {
  const { account } = useMe();
  const client = useQueryClient();
  const [name, setName] = useState(account.name);
  const save = useMutation({
    mutationFn: () => request('/v1/manage/me', { method: 'PATCH', body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  return (
    <Panel title="Profile">
      <Form onSubmit={() => save.mutate()}>
        <Group align="end">
          <TextInput
            label="Name"
            description="Shown in the history of changes"
            autoComplete="name"
            required
            value={name}
            error={fieldError(save.error, '/name') ?? (save.error ? messageOf(save.error) : undefined)}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" loading={save.isPending} disabled={name === account.name}>
            Save name
          </Button>
          <span role="status">{save.isSuccess && name === account.name ? 'Saved.' : ''}</span>
        </Group>
      </Form>
    </Panel>
  );
}
