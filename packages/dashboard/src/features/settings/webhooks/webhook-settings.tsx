import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useUrlState } from '../../../ui/hooks/use-url-state.ts';
import { Icon } from '../../../ui/page/icon.tsx';
import { Snippet } from '../../../ui/page/snippet.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { usePropertyNavigate } from '../../configuration/use-property-navigate.ts';
import { NewWebhookDialog } from './new-webhook-dialog.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookList } from './webhook-list.tsx';

const URL_DEFAULTS = { webhook: '' } as const;

/** The list of webhooks, or the one that the URL names. */
export function WebhookSettings() {
  const { configuration } = useProperty();
  const navigate = usePropertyNavigate();
  const [{ webhook: id }] = useUrlState(URL_DEFAULTS);
  const [isNew, setNew] = useState(false);
  /** Of a webhook that was just created, or whose secret was just replaced. */
  const [shown, setShown] = useState<{ id: string; secret: string }>();
  const webhook = configuration.webhooks.find((each) => each.id === id);
  const created = (newId: string, secret: string) => {
    setNew(false);
    setShown({ id: newId, secret });
    navigate('settings', { tab: 'webhooks', webhook: newId });
  };
  return (
    <>
      {shown && (
        <Alert
          color="green"
          role="status"
          icon={<Icon name="check" />}
          title={`The secret of the webhook “${shown.id}”`}
        >
          <p>Copy it now: it signs the requests, and cannot be shown again.</p>
          <Snippet label="the secret" code={shown.secret} />
          <Button mt="xs" size="xs" variant="default" onClick={() => setShown(undefined)}>
            I have stored it
          </Button>
        </Alert>
      )}
      {webhook ? (
        <WebhookDetail
          key={webhook.id}
          webhook={webhook}
          onSecret={(secret) => setShown({ id: webhook.id, secret })}
        />
      ) : (
        <>
          {id !== '' && !shown && (
            <Alert color="orange" role="status" icon={<Icon name="warning" />}>
              There is no webhook “{id}”. It may have been deleted: the history can restore it.
            </Alert>
          )}
          <WebhookList onNew={() => setNew(true)} />
        </>
      )}
      {isNew && <NewWebhookDialog onClose={() => setNew(false)} onCreated={created} />}
    </>
  );
}
