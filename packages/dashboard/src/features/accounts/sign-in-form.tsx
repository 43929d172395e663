import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { SignedIn } from '@switchyard/core/api/accounts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';

/** Email and password; asks for a code when the account has two-factor turned on. */
export function SignInForm({ onSignedIn }: { onSignedIn: (signedIn: SignedIn) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const signIn = useMutation({
    mutationFn: () =>
      request<SignedIn>('/v1/manage/sign-in', {
        method: 'POST',
        body: { email, password, ...(code !== '' && { code }) },
      }),
    onSuccess: onSignedIn,
  });
  const { error } = signIn;
  const needsCode = error instanceof ApiProblem && error.code === 'code_required';
  const [askCode, setAskCode] = useState(false);
  if (needsCode && !askCode) setAskCode(true);
  const submit = () => {
    signIn.mutate();
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {askCode && (
          <TextInput
            label="Code"
            description="From your authenticator app, or a recovery code"
            autoComplete="one-time-code"
            inputMode="numeric"
            data-autofocus
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <ErrorAlert error={needsCode ? null : error} />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </Form>
  );
}
