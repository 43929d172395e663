import { Button, Group, PasswordInput } from '@mantine/core';
import type { PatchMeBody } from '@switchyard/core/api/accounts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { NewPasswordField } from './new-password-field.tsx';

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
      <Form onSubmit={() => change.mutate()}>
        <Group align="end">
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            w={240}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <NewPasswordField
            label="New password"
            w={240}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
        <ErrorAlert error={change.error} mt="sm" />
        <p role="status" className="good">
          {change.isSuccess ? 'The password is changed.' : ''}
        </p>
      </Form>
    </Panel>
  );
}
