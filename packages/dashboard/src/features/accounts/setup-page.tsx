import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { SetupBody, SignedIn } from '@switchyard/core/api/accounts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, messageOf, request } from '../../api.ts';
import { CenteredPage } from '../../ui/centered-page.tsx';
import { fieldError } from '../../ui/field-error.ts';
import { changeAccount } from './use-me.ts';

/** Creates the first owner of an installation. */
export function SetupPage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [form, setForm] = useState({ email: '', password: '', name: '' });
  const create = useMutation({
    mutationFn: () =>
      request<SignedIn>('/v1/manage/setup', {
        method: 'POST',
        body: {
          email: form.email,
          password: form.password,
          ...(form.name !== '' && { name: form.name }),
        } satisfies SetupBody,
      }),
    onSuccess: () => {
      changeAccount(client, true);
      void navigate({ to: '/' });
    },
  });
  const { error } = create;
  const isDone = error instanceof ApiProblem && error.code === 'already_set_up';
  const field = (name: keyof typeof form) => ({
    value: form[name],
    error: fieldError(error, `/${name}`),
    onChange: (event: { currentTarget: { value: string } }) =>
      setForm({ ...form, [name]: event.currentTarget.value }),
  });
  return (
    <CenteredPage title="Set up Switchyard">
      <Text c="dimmed" size="sm" mb="md">
        Create the first owner. Owners see every property and invite everybody else.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            {...field('email')}
          />
          <TextInput label="Name" description="Shown in the history" autoComplete="name" {...field('name')} />
          <PasswordInput
            label="Password"
            description="At least 12 characters"
            autoComplete="new-password"
            minLength={12}
            required
            withAsterisk={false}
            {...field('password')}
          />
          {error && (
            <Alert color="red" role="alert">
              {messageOf(error)} {isDone && <Link to="/sign-in">Sign in</Link>}
            </Alert>
          )}
          <Button type="submit" loading={create.isPending}>
            Create owner
          </Button>
        </Stack>
      </form>
    </CenteredPage>
  );
}
