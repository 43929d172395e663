import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { SignedIn } from '@switchyard/core/api/accounts';
import type { InvitationPreview } from '@switchyard/core/api/members';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { messageOf, request } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import { Form } from '../../ui/fields/form.tsx';
import { formatDateTime } from '../../ui/format/format.ts';
import { CenteredPage } from '../../ui/page/centered-page.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { LoadError, PageSkeleton } from '../../ui/page/page-states.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { changeAccount } from './use-me.ts';

/** Where the link of an invitation leads. */
export function InvitationPage() {
  // After the hash, so that the token is not sent to servers and does not end up in logs.
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  const lookup = useQuery({
    queryKey: ['invitation', token],
    queryFn: () =>
      request<InvitationPreview>('/v1/manage/invitations/lookup', { method: 'POST', body: { token } }),
    enabled: token !== '',
    retry: false,
  });
  return (
    <CenteredPage title="Invitation">
      {token === '' && (
        <LoadError
          title="The link is incomplete"
          message="Ask for the whole link, including the part after #."
        />
      )}
      {lookup.error && (
        <LoadError
          title="This invitation cannot be used"
          message={`${messageOf(lookup.error)} Ask for a new invitation.`}
        />
      )}
      {token !== '' && lookup.isPending && <PageSkeleton />}
      {lookup.data && <AcceptInvitation token={token} invitation={lookup.data} />}
    </CenteredPage>
  );
}

function AcceptInvitation({ token, invitation }: { token: string; invitation: InvitationPreview }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { property, email, role, expiresAt, accountExists } = invitation;
  const accept = useMutation({
    mutationFn: () =>
      request<SignedIn>('/v1/manage/invitations/accept', {
        method: 'POST',
        body: accountExists ? { token } : { token, password, ...(name !== '' && { name }) },
      }),
    onSuccess: () => {
      changeAccount(client, true);
      void navigate({ to: `/p/${property.id}/overview` });
    },
  });
  const { error } = accept;
  return (
    <Stack gap="sm">
      <Text>
        {email} is invited to <strong>{property.name}</strong> as {role}. The link is valid until{' '}
        {formatDateTime(expiresAt)}.
      </Text>
      <ErrorAlert error={error} />
      {accountExists ? (
        <>
          <Text>This account exists: sign in as {email} to accept.</Text>
          <SignInForm onSignedIn={() => accept.mutate()} />
        </>
      ) : (
        <Form onSubmit={() => accept.mutate()}>
          <Stack gap="sm">
            <TextInput
              label="Name"
              description="Shown in the history"
              autoComplete="name"
              value={name}
              error={fieldError(error, '/name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NewPasswordField
              value={password}
              error={fieldError(error, '/password')}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button type="submit" loading={accept.isPending}>
              Accept invitation
            </Button>
          </Stack>
        </Form>
      )}
    </Stack>
  );
}
