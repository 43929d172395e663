import { Button, Group, Stack, TextInput } from '@mantine/core';
import { DEFAULT_RETENTION_DAYS } from '@switchyard/core/api/default-retention';
import type { NewProperty } from '@switchyard/core/api/management';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import '../../ui/style/mantine-form-styles.ts';
import { request } from '../../api.ts';
import { fieldError } from '../../ui/fields/field-error.ts';
import { Form } from '../../ui/fields/form.tsx';
import { keyFromName } from '../../ui/fields/key-from-name.ts';
import { CenteredPage } from '../../ui/page/centered-page.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { meQuery, useMe } from '../accounts/use-me.ts';
import { TimeZoneField } from './time-zone-field.tsx';

/** Owners create properties here; it is also where an installation without any starts. */
export function NewPropertyPage() {
  const { account, roles } = useMe();
  if (account.isOwner) return <NewPropertyForm />;
  return (
    <CenteredPage title="New property">
      <p>
        {Object.keys(roles).length === 0 && 'You are not a member of any property yet. '}
        Only owners create properties. Ask an owner, or ask for an invitation to an existing one.
      </p>
      <Link to="/account">Your account</Link>
    </CenteredPage>
  );
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function NewPropertyForm() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [id, setId] = useState<string>();
  const [timeZone, setTimeZone] = useState(OWN_ZONE);
  const body: NewProperty = { name, id: id ?? keyFromName(name), timeZone };
  const create = useMutation({
    mutationFn: () => request('/v1/manage/properties', { method: 'POST', body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: meQuery.queryKey });
      void client.invalidateQueries({ queryKey: ['properties'] });
      void navigate({ to: `/p/${body.id}/overview` });
    },
  });
  const { error } = create;
  return (
    <CenteredPage title="New property">
      <p className="dimmed">
        A property is a site or an app: it has its own split tests, flags, goals, keys and members.
      </p>
      <Form onSubmit={() => create.mutate()}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            value={name}
            error={fieldError(error, '/name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Id"
            description="Used in code; it cannot be changed later"
            required
            value={body.id}
            error={fieldError(error, '/id')}
            onChange={(event) => setId(event.currentTarget.value)}
          />
          <TimeZoneField value={timeZone} error={fieldError(error, '/timeZone')} onChange={setTimeZone} />
          <p className="dimmed">
            Events are kept for 25 months ({DEFAULT_RETENTION_DAYS} days), then they are deleted. You can
            change that in the settings.
          </p>
          <ErrorAlert error={error} />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Create property
            </Button>
            <Link to="/">Cancel</Link>
          </Group>
        </Stack>
      </Form>
    </CenteredPage>
  );
}
