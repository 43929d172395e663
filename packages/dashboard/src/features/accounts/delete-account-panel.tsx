import { Button, Group, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useMe } from './use-me.ts';

export const DELETION =
  'Email address, name, password, sessions, access tokens and memberships are deleted for good. The history keeps what the account did, under a number.';

/** Deletes the own account, after a proof that it is the own one. */
export function DeleteAccountPanel() {
  const { hasPassword, twoFactor } = useMe().account;
  const [proof, setProof] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      request('/v1/manage/me', {
        method: 'DELETE',
        body: hasPassword ? { password: proof } : twoFactor ? { code: proof } : {},
      }),
    // Nothing that was loaded is of use any more.
    onSuccess: () => location.assign('/'),
  });
  const error = remove.error ? messageOf(remove.error) : undefined;
  const field = {
    required: true,
    w: 240,
    value: proof,
    error,
    onChange: (event: { currentTarget: { value: string } }) => setProof(event.currentTarget.value),
  };
  return (
    <Panel title="Delete this account" hint={DELETION}>
      <Form onSubmit={() => remove.mutate()}>
        <Group align="end">
          {hasPassword && (
            <PasswordInput label="The password of this account" autoComplete="current-password" {...field} />
          )}
          {!hasPassword && twoFactor && <TextInput label="Code" autoComplete="one-time-code" {...field} />}
          <Button type="submit" color="red" variant="light" loading={remove.isPending}>
            Delete my account
          </Button>
        </Group>
        {!hasPassword && !twoFactor && error && <p role="alert">{error}</p>}
      </Form>
    </Panel>
  );
}
