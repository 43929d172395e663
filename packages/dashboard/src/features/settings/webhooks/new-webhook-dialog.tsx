import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../../api.ts';
import { Form } from '../../../ui/fields/form.tsx';
import { keyFromName } from '../../../ui/fields/key-from-name.ts';
import { useReview } from '../../changes/review-context.tsx';
import { useDraft } from '../../changes/use-draft.ts';
import type { Webhook } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { WebhookFields, type WebhookForm, webhookProblems } from './webhook-fields.tsx';

interface NewWebhookDialogProps {
  onClose: () => void;
  onCreated: (id: string, secret: string) => void;
}

const EMPTY: WebhookForm & { id: string | null } = {
  id: null,
  name: '',
  url: '',
  events: ['configuration.changed'],
  enabled: true,
};

export function NewWebhookDialog({ onClose, onCreated }: NewWebhookDialogProps) {
  const { propertyId } = useProperty();
  const review = useReview();
  // `+` is not allowed in ids.
  const draft = useDraft(`${propertyId}/webhooks/+new`, EMPTY);
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const { id: ownId, ...form } = draft.value;
  const id = ownId ?? keyFromName(form.name);
  const problems = webhookProblems(form);
  const reason = id === '' ? 'Enter a name or an id' : (problems.url ?? problems.events);
  const save = async () => {
    if (reason !== undefined) return;
    setReviewing(true);
    const result = await review({
      title: `New webhook ${form.name}`,
      method: 'PUT',
      path: propertyPath(propertyId, 'webhooks', id),
      body: { ...form, name: form.name.trim() || undefined },
      item: { type: 'webhook', key: id },
    });
    setReviewing(false);
    if (result.outcome !== 'saved') return;
    draft.discard();
    onCreated(id, (result.response as Webhook).secret ?? '');
  };
  return (
    <Modal opened={!isReviewing} onClose={onClose} title="New webhook" size="lg">
      <Form onSubmit={() => void save()}>
        <Stack>
          <WebhookFields value={form} onChange={draft.change} />
          <TextInput
            label="Id"
            description="Used in the API; it cannot be changed later"
            maxLength={128}
            value={id}
            onChange={(event) => draft.change({ id: event.currentTarget.value })}
          />
          <Group justify="flex-end">
            {reason && <span className="dimmed">{reason}</span>}
            <Button type="submit" disabled={reason !== undefined}>
              Save
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
