import { Alert, Button, Select, TextInput } from '@mantine/core';
import type { CreatedInvitation, Invitations, InviteBody } from '@switchyard/core/api/members';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf, propertyPath, request } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import { Form } from '../../ui/fields/form.tsx';
import { formatDateTime } from '../../ui/format/format.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { LoadError } from '../../ui/page/page-states.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { Snippet } from '../../ui/page/snippet.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { MEMBER_ROLES, type MemberRole } from './member-roles.ts';
import classes from './settings-page.module.css';

/** Invitations are links: whoever invites passes them on. */
export function InvitationPanel({ reason }: { reason: string | undefined }) {
  const [created, setCreated] = useState<CreatedInvitation>();
  return (
    <Panel
      title="Invitations"
      flush
      hint="An invitation is a link that works once, within seven days. No mail is sent: pass it on yourself."
    >
      {reason ? (
        <p className={`dimmed ${classes.inset}`}>Inviting people: {reason.toLowerCase()}.</p>
      ) : (
        <>
          <InviteForm onCreated={setCreated} />
          {created && <CreatedLink created={created} onClose={() => setCreated(undefined)} />}
          <PendingInvitations />
        </>
      )}
    </Panel>
  );
}

function InviteForm({ onCreated }: { onCreated: (invitation: CreatedInvitation) => void }) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('editor');
  const invite = useMutation({
    mutationFn: () =>
      request<CreatedInvitation>(propertyPath(propertyId, 'invitations'), {
        method: 'POST',
        body: { email, role } satisfies InviteBody,
      }),
    onSuccess: (invitation) => {
      setEmail('');
      onCreated(invitation);
      void client.invalidateQueries({ queryKey: ['invitations', propertyId] });
    },
  });
  const { error } = invite;
  return (
    <Form className={classes.form} onSubmit={() => invite.mutate()}>
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        required
        w={260}
        value={email}
        error={fieldError(error, '/email') ?? (error ? messageOf(error) : undefined)}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label="Role"
        w={120}
        allowDeselect={false}
        data={MEMBER_ROLES}
        value={role}
        onChange={(value) => setRole(value as MemberRole)}
      />
      <Button type="submit" mt={21} loading={invite.isPending}>
        Invite
      </Button>
    </Form>
  );
}

function CreatedLink({ created, onClose }: { created: CreatedInvitation; onClose: () => void }) {
  return (
    <Alert
      className={classes.inset}
      color="green"
      role="status"
      icon={<Icon name="check" />}
      title={`Invited ${created.email} as ${created.role}`}
    >
      <p>
        Send this link to {created.email}. It is valid until {formatDateTime(created.expiresAt)} and cannot be
        shown again.
      </p>
      <Snippet label="the link" code={created.url ?? ''} />
      <Button mt="xs" size="xs" variant="default" onClick={onClose}>
        I have sent it
      </Button>
    </Alert>
  );
}

function PendingInvitations() {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const queryKey = ['invitations', propertyId];
  const invitations = useQuery({
    queryKey,
    queryFn: ({ signal }) => request<Invitations>(propertyPath(propertyId, 'invitations'), { signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => request(propertyPath(propertyId, 'invitations', id), { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <>
      {revoke.error && <LoadError title="Cannot revoke the invitation" message={messageOf(revoke.error)} />}
      <Loaded query={invitations} what="the open invitations" height={40}>
        {({ invitations: list }) =>
          list.length === 0 ? (
            <p className={`dimmed ${classes.inset}`}>No open invitations.</p>
          ) : (
            <StackedTable head={['Open invitation', 'Role', 'Created', 'Expires', '']}>
              {list.map(({ id, email, role, createdAt, expiresAt }) => (
                <tr key={id}>
                  <td data-label="Email">{email}</td>
                  <td data-label="Role">{role}</td>
                  <td data-label="Created">
                    <RelativeTime at={createdAt} />
                  </td>
                  <td data-label="Expires">
                    <RelativeTime at={expiresAt} />
                  </td>
                  <td>
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      loading={revoke.isPending && revoke.variables === id}
                      aria-label={`Revoke the invitation of ${email}`}
                      onClick={() => revoke.mutate(id)}
                    >
                      Revoke
                    </Button>
                  </td>
                </tr>
              ))}
            </StackedTable>
          )
        }
      </Loaded>
    </>
  );
}
