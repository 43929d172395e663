import { Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { propertyPath, request } from '../../../api.ts';
import { ErrorAlert } from '../../../ui/page/error-alert.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { ReasonButton } from '../../../ui/page/reason-button.tsx';
import type { ChangeRequest } from '../../changes/change-request.ts';
import { DraftBar } from '../../changes/draft-bar.tsx';
import { useReview } from '../../changes/review-context.tsx';
import { useDraft } from '../../changes/use-draft.ts';
import { useDraftOutcome } from '../../changes/use-draft-outcome.ts';
import type { Webhook } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { usePropertyNavigate } from '../../configuration/use-property-navigate.ts';
import classes from '../settings-page.module.css';
import { DeliveryLog } from './delivery-log.tsx';
import { WebhookFields, type WebhookForm, webhookProblems } from './webhook-fields.tsx';

interface WebhookDetailProps {
  webhook: Webhook;
  /** A new secret, shown once. */
  onSecret: (secret: string) => void;
}

/** One webhook: what it gets, and what was delivered. */
export function WebhookDetail({ webhook, onSecret }: WebhookDetailProps) {
  const { missingRole } = useProperty();
  const { draft, save, message } = useWebhookDraft(webhook);
  const reason = missingRole('admin');
  const problems = webhookProblems(draft.value);
  return (
    <>
      <PropertyLink to="settings" search={{ tab: 'webhooks' }}>
        ← All webhooks
      </PropertyLink>
      <Panel title={`Webhook ${webhook.name ?? webhook.id}`} hint={`Id: ${webhook.id}`}>
        <fieldset className={classes.fields} disabled={reason !== undefined}>
          <WebhookFields value={draft.value} onChange={draft.change} />
        </fieldset>
      </Panel>
      <DraftBar
        draft={draft}
        message={message}
        blocked={reason ?? problems.url ?? problems.events}
        onSave={() => void save()}
      />
      <WebhookActions webhook={webhook} reason={reason} onSecret={onSecret} />
      <DeliveryLog webhookId={webhook.id} reason={reason} />
    </>
  );
}

function useWebhookDraft(webhook: Webhook) {
  const { propertyId } = useProperty();
  const review = useReview();
  const stored = useMemo(() => formOf(webhook), [webhook]);
  const draft = useDraft(`${propertyId}/webhooks/${webhook.id}`, stored, webhook.version);
  const { finish, message } = useDraftOutcome(draft, (document) => formOf(document as Webhook));
  const save = () => {
    const change: ChangeRequest = {
      title: `Save webhook ${webhook.name ?? webhook.id}`,
      method: 'PUT',
      path: propertyPath(propertyId, 'webhooks', webhook.id),
      // Without a name, lists show the id.
      body: { ...draft.value, name: draft.value.name.trim() || undefined },
      version: draft.baseVersion,
      item: { type: 'webhook', key: webhook.id },
    };
    return finish(review(change));
  };
  return { draft, save, message };
}

/** The fields that can be edited; responses have all of them except an empty name. */
function formOf({ name = '', url, events, enabled }: Webhook): WebhookForm {
  return { name, url, events, enabled } as WebhookForm;
}

function WebhookActions({ webhook, reason, onSecret }: WebhookDetailProps & { reason: string | undefined }) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const navigate = usePropertyNavigate();
  const review = useReview();
  const path = propertyPath(propertyId, 'webhooks', webhook.id);
  const test = useMutation({
    mutationFn: () => request(`${path}/test`, { method: 'POST' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', propertyId, webhook.id] }),
  });
  const replaceSecret = async () => {
    const result = await review({
      title: `Replace the secret of ${webhook.name ?? webhook.id}`,
      confirmLabel: 'Replace',
      isDestructive: true,
      method: 'POST',
      path: `${path}/rotate-secret`,
    });
    if (result.outcome === 'saved') onSecret((result.response as { secret: string }).secret);
  };
  const remove = async () => {
    const { outcome } = await review({
      title: `Delete the webhook ${webhook.name ?? webhook.id}`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
      path,
      version: webhook.version,
      item: { type: 'webhook', key: webhook.id },
    });
    if (outcome === 'saved') navigate('settings', { tab: 'webhooks' });
  };
  return (
    <Panel
      title="Actions"
      hint="A new secret applies at once, also to what is queued: requests signed with it are refused by a receiver that has the old one."
    >
      <Group gap="xs">
        <ReasonButton
          variant="default"
          reason={reason}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send test
        </ReasonButton>
        <ReasonButton variant="default" reason={reason} onClick={() => void replaceSecret()}>
          Replace secret
        </ReasonButton>
        <ReasonButton variant="default" c="var(--sy-bad)" reason={reason} onClick={() => void remove()}>
          Delete webhook
        </ReasonButton>
        <span role="status">
          {test.isSuccess &&
            (webhook.enabled
              ? 'The test is queued: see the deliveries below.'
              : 'The test is queued, and will be sent once the webhook is enabled.')}
        </span>
      </Group>
      <ErrorAlert error={test.error} mt="sm" />
    </Panel>
  );
}
