import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { propertyPath, request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { meQuery } from '../accounts/use-me.ts';
import { useReview } from '../changes/review-context.tsx';
import type { PropertySettings } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './settings-page.module.css';

/** Deleting the property, after typing its id. */
export function DangerSettings() {
  const { propertyId, configuration, may } = useProperty();
  const client = useQueryClient();
  const navigate = useNavigate();
  const review = useReview();
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: async () => {
      // Deleting needs the newest version, which counts every change of any item.
      const { version } = await request<PropertySettings>(propertyPath(propertyId));
      return review({
        title: `Delete the property “${configuration.property.name}”`,
        confirmLabel: 'Delete',
        isDestructive: true,
        method: 'DELETE',
        path: propertyPath(propertyId),
        version,
      });
    },
    onSuccess: async ({ outcome }) => {
      if (outcome !== 'saved') return;
      client.removeQueries({ queryKey: ['properties'] });
      await client.invalidateQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: '/' });
    },
  });
  const reason = may('admin')
    ? typed === propertyId
      ? undefined
      : `Type “${propertyId}” to delete it`
    : 'You need the admin role';
  return (
    <Panel
      title="Delete this property"
      hint="Deletes its split tests, flags, segments, goals, feedback types, keys, webhooks and memberships, and all its events. Pages and servers that use its keys get errors."
    >
      <p>You see how many events will be deleted before you confirm. They cannot be restored.</p>
      <Form className={classes.fields} onSubmit={() => reason === undefined && remove.mutate()}>
        <TextInput
          classNames={{ wrapper: classes.short }}
          label="Id of the property"
          description={`Type “${propertyId}”`}
          autoComplete="off"
          disabled={!may('admin')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ErrorAlert error={remove.error} />
        <div>
          <ReasonButton
            color="red"
            reason={reason}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Delete property
          </ReasonButton>
        </div>
        {!may('admin') && <span className="dimmed">{reason}.</span>}
      </Form>
    </Panel>
  );
}
