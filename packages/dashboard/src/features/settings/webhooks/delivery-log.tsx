import type { DeliveryState, WebhookDeliveryPage } from '@switchyard/core/api/webhooks';
import type { InfiniteData } from '@tanstack/react-query';
import { useState } from 'react';
import { propertyPath } from '../../../api.ts';
import { Choice } from '../../../ui/fields/choice.tsx';
import { usePagedQuery } from '../../../ui/hooks/use-paged-query.ts';
import { PagedList } from '../../../ui/lists/paged-list.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { DeliveryEntry } from './delivery-entry.tsx';

const STATES: { value: DeliveryState | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'pending', label: 'Waiting' },
  { value: 'failed', label: 'Failed' },
];

interface DeliveryLogProps {
  webhookId: string;
  /** Why the deliveries cannot be seen: their payloads contain feedback. */
  reason: string | undefined;
}

/** What was sent to a webhook, newest first. */
export function DeliveryLog({ webhookId, reason }: DeliveryLogProps) {
  const [state, setState] = useState<DeliveryState | 'all'>('all');
  return (
    <Panel
      title="Deliveries"
      hint="Finished ones are kept for 30 days. What fails is sent again for about a day, at growing intervals."
      actions={
        reason === undefined && (
          <Choice
            label="State of the deliveries"
            options={STATES}
            value={state}
            onChange={(value) => setState(value)}
          />
        )
      }
    >
      {reason ? (
        <p className="dimmed">Payloads can contain feedback. {reason} to see them.</p>
      ) : (
        <Deliveries webhookId={webhookId} state={state} />
      )}
    </Panel>
  );
}

function Deliveries({ webhookId, state }: { webhookId: string; state: DeliveryState | 'all' }) {
  const { propertyId } = useProperty();
  const query = usePagedQuery<WebhookDeliveryPage>({
    queryKey: ['deliveries', propertyId, webhookId, state],
    path: propertyPath(propertyId, 'webhooks', webhookId, 'deliveries'),
    query: { state: state === 'all' ? undefined : state, limit: 20 },
    keepsPrevious: true,
    refetchInterval: (data) => (isUnderWay(data) ? 1000 : 15_000),
  });
  return (
    <PagedList
      query={query}
      what="the deliveries"
      items={({ deliveries }) => deliveries}
      more="Show earlier deliveries"
      empty={
        <span className="dimmed">
          {state === 'all'
            ? 'Nothing was sent yet. “Send test” shows whether your receiver accepts requests.'
            : 'No deliveries in this state.'}
        </span>
      }
    >
      {(list) => (
        <ol>
          {list.map((delivery) => (
            <DeliveryEntry key={delivery.id} webhookId={webhookId} delivery={delivery} />
          ))}
        </ol>
      )}
    </PagedList>
  );
}

/** Whether an attempt is about to be made, or just was: then the list is asked for more often. */
function isUnderWay(data: InfiniteData<WebhookDeliveryPage> | undefined): boolean {
  const now = Date.now();
  return !!data?.pages.some(({ deliveries }) =>
    deliveries.some(({ nextAttemptAt: at }) => at !== null && at > now - 10_000 && at < now + 3000),
  );
}
