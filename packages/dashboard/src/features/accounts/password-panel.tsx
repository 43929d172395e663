import { Alert, Button, Group, PasswordInput } from '@mantine/core';
import type { PatchMeBody } from '@switchyard/core/api/accounts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, request } from '../../api.ts';
import { Panel } from '../../ui/panel.tsx';

export function PasswordPanel() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      request('/v1/manage/me', {
        method: 'PATCH',
        body: { password: { current, next } } satisfies PatchMeBody,
      }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
    },
  });
  return (
    <Panel title="Password" hint="Changing it signs out all your other browsers.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Group align="end">
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            w={240}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters"
            autoComplete="new-password"
            minLength={12}
            maxLength={256}
            required
            withAsterisk={false}
            w={240}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
        {change.error && (
          <Alert mt="sm" color="red" role="alert">
            {messageOf(change.error)}
          </Alert>
        )}
        <p role="status" className="good">
          {change.isSuccess ? 'The password is changed.' : ''}
        </p>
      </form>
    </Panel>
  );
}
