import { Button } from '@mantine/core';
import type { WebhookDelivery, WebhookDeliveryPage } from '@switchyard/core/api/webhooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { propertyPath, request } from '../../../api.ts';
import { formatRelative, plural } from '../../../ui/format/format.ts';
import { RelativeTime } from '../../../ui/format/relative-time.tsx';
import { ExpandableEntry } from '../../../ui/lists/expandable-entry.tsx';
import { ErrorAlert } from '../../../ui/page/error-alert.tsx';
import { Loaded } from '../../../ui/page/panel.tsx';
import { Snippet } from '../../../ui/page/snippet.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { describeFailure } from './webhook-words.ts';

type Delivery = WebhookDeliveryPage['deliveries'][number];

interface DeliveryEntryProps {
  webhookId: string;
  delivery: Delivery;
}

/** One event that was sent, or will be; opens to its payload and the last response. */
export function DeliveryEntry({ webhookId, delivery }: DeliveryEntryProps) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const { id, type, createdAt, attempts, lastError, lastStatus } = delivery;
  const path = propertyPath(propertyId, 'webhooks', webhookId, 'deliveries', id);
  const resend = useMutation({
    mutationFn: () => request(`${path}/resend`, { method: 'POST' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', propertyId, webhookId] }),
  });
  const failure = delivery.state === 'delivered' ? undefined : describeFailure(lastError, lastStatus);
  return (
    <ExpandableEntry
      label={`Details of the delivery ${id}`}
      actions={
        <Button
          size="compact-xs"
          variant="default"
          loading={resend.isPending}
          aria-label={`Send again: ${id}`}
          onClick={() => resend.mutate()}
        >
          Send again
        </Button>
      }
      details={<DeliveryDetails delivery={delivery} path={path} />}
    >
      {() => (
        <>
          <StateWords delivery={delivery} /> <strong>{type}</strong>{' '}
          <span className="dimmed">
            <RelativeTime at={createdAt} />
            {attempts > 1 && ` · ${plural(attempts, 'attempt')}`}
          </span>
          {failure && <p>{failure}.</p>}
          <ErrorAlert error={resend.error} />
        </>
      )}
    </ExpandableEntry>
  );
}

function StateWords({ delivery: { state, nextAttemptAt, lastStatus } }: { delivery: Delivery }) {
  if (state === 'delivered') return <span className="good">Delivered ({lastStatus})</span>;
  if (state === 'failed') return <span className="bad">Given up</span>;
  const isDue = nextAttemptAt === null || nextAttemptAt < Date.now() + 60_000;
  return (
    <span className="warn">
      {isDue ? 'Waiting' : `Waiting, next attempt ${formatRelative(nextAttemptAt)}`}
    </span>
  );
}

function DeliveryDetails({ delivery, path }: { delivery: Delivery; path: string }) {
  const { propertyId } = useProperty();
  const query = useQuery({
    queryKey: ['delivery', propertyId, delivery.id, delivery.attempts, delivery.state],
    queryFn: ({ signal }) => request<WebhookDelivery>(path, { signal }),
  });
  return (
    <Loaded query={query} what="the delivery">
      {({ payload, lastResponse }) => (
        <>
          <Snippet label="the payload" code={JSON.stringify(payload, null, 2)} />
          {lastResponse === null || lastResponse === '' ? (
            <p className="dimmed">The last attempt got no response, or an empty one.</p>
          ) : (
            <Snippet label="the last response" code={lastResponse} />
          )}
        </>
      )}
    </Loaded>
  );
}
