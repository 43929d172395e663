import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { SetupBody, SignedIn } from '@switchyard/core/api/accounts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, request } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import { Form } from '../../ui/fields/form.tsx';
import { CenteredPage } from '../../ui/page/centered-page.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { NewPasswordField } from './new-password-field.tsx';
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
      <Form onSubmit={() => create.mutate()}>
        <Stack gap="sm">
          <TextInput label="Email" type="email" autoComplete="username" required {...field('email')} />
          <TextInput label="Name" description="Shown in the history" autoComplete="name" {...field('name')} />
          <NewPasswordField {...field('password')} />
          <ErrorAlert error={error}>{isDone && <Link to="/sign-in">Sign in</Link>}</ErrorAlert>
          <Button type="submit" loading={create.isPending}>
            Create owner
          </Button>
        </Stack>
      </Form>
    </CenteredPage>
  );
}
