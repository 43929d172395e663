import { Button, Modal, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import type { CreatedToken, CreateTokenBody } from '@switchyard/core/api/access-tokens';
import { ROLES, type Role } from '@switchyard/core/api/role-order';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import '../../ui/style/mantine-form-styles.ts';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { useMe } from './use-me.ts';

const DAY = 86_400_000;
const LIFETIMES = { '7': '7 days', '30': '30 days', '90': '90 days', '365': 'One year' };

interface NewTokenDialogProps {
  onClose: () => void;
  onCreated: (token: CreatedToken) => void;
}

export function NewTokenDialog({ onClose, onCreated }: NewTokenDialogProps) {
  useInertBackground();
  const { account, roles } = useMe();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState('90');
  const [properties, setProperties] = useState<string[]>([]);
  const create = useMutation({
    mutationFn: () =>
      request<CreatedToken>('/v1/manage/me/tokens', {
        method: 'POST',
        body: {
          name,
          role,
          expiresAt: Date.now() + Number(days) * DAY,
          ...(properties.length > 0 && { properties }),
        } satisfies CreateTokenBody,
      }),
    onSuccess: onCreated,
  });
  return (
    <Modal opened onClose={onClose} title="New access token">
      <Form onSubmit={() => create.mutate()}>
        <Stack>
          <TextInput
            label="Name"
            description="What the token is for"
            required
            maxLength={128}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label="Role"
            allowDeselect={false}
            data={ROLES.filter((each) => each !== 'owner' || account.isOwner)}
            value={role}
            onChange={(value) => setRole(value as Role)}
          />
          <Select
            label="Valid for"
            allowDeselect={false}
            data={Object.entries(LIFETIMES).map(([value, label]) => ({ value, label }))}
            value={days}
            onChange={(value) => setDays(value!)}
          />
          <MultiSelect
            label="Properties"
            placeholder={properties.length === 0 ? 'All' : ''}
            data={Object.keys(roles)}
            value={properties}
            onChange={setProperties}
          />
          <ErrorAlert error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Create token
          </Button>
        </Stack>
      </Form>
    </Modal>
  );
}
