import { type Static, Type } from 'typebox';
import { EntityKey, NextCursor, namedObject, nullable, oneOf, PageCursor, PageLimit } from './common.ts';
import { closed, Id, Name } from './provisioning-fields.ts';

/** Events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = [
  'configuration.changed',
  'verdict.changed',
  'test.unhealthy',
  'goal.target_reached',
  'feedback.submitted',
  'schedule.executed',
  'harm.stopped',
  'rollout.stayed',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Sent on request, to any webhook. */
export const TEST_EVENT = 'webhook.test';

export const MAX_WEBHOOK_URL_LENGTH = 2048;

/** A webhook as callers write it; the secret is generated. */
export const ProvisionedWebhook = Type.Object(
  {
    id: Id('Webhook id'),
    name: Type.Optional(Name),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_WEBHOOK_URL_LENGTH,
        description: 'http or https, without user name and password',
        examples: ['https://shop.example/webhooks/switchyard'],
      }),
    ),
    events: Type.Optional(
      Type.Array(oneOf(WEBHOOK_EVENTS), {
        minItems: 1,
        maxItems: WEBHOOK_EVENTS.length,
        uniqueItems: true,
        description: 'The events to send',
      }),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'Default: `true`. While it is disabled, no events are queued for it',
      }),
    ),
  },
  closed('ProvisionedWebhook'),
);
export type ProvisionedWebhook = Static<typeof ProvisionedWebhook>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export const DeliveryState = oneOf(DELIVERY_STATES, {
  title: 'DeliveryState',
  description:
    '`pending`: not accepted yet, will be sent or sent again. `failed`: given up; can be sent again on request',
});
export type DeliveryState = Static<typeof DeliveryState>;

const MANAGED_PROPERTY = { propertyId: EntityKey };

export const WebhookParams = Type.Object({ ...MANAGED_PROPERTY, key: EntityKey });
export type WebhookParams = Static<typeof WebhookParams>;

export const DeliveryParams = Type.Object({ ...MANAGED_PROPERTY, key: EntityKey, deliveryId: EntityKey });
export type DeliveryParams = Static<typeof DeliveryParams>;

export const DeliveryQuery = Type.Object({
  limit: PageLimit,
  cursor: PageCursor,
  state: Type.Optional(DeliveryState),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const deliveryMembers = {
  id: Type.String({ description: 'The header `webhook-id`, the same in every attempt' }),
  type: Type.String({ description: 'The event type' }),
  state: DeliveryState,
  createdAt: Type.Integer(),
  attempts: Type.Integer({ description: 'Since it was created or last sent again on request' }),
  nextAttemptAt: nullable(Type.Integer({ description: 'Null unless `pending`' })),
  lastAttemptAt: nullable(Type.Integer()),
  lastStatus: nullable(
    Type.Integer({ description: 'HTTP status of the last attempt; null without a response' }),
  ),
  lastError: nullable(
    Type.String({
      description:
        'Why the last attempt failed: `http_status`, `gone`, `timeout`, `refused_address`, `insecure_redirect`, `invalid_redirect`, `too_many_redirects`, `expired`, or the code of a network error such as `ECONNREFUSED`',
    }),
  ),
};

const DELIVERY_EXAMPLE = {
  id: 'msg_5f0c1a2b3c4d5e6f70819203',
  type: 'feedback.submitted',
  state: 'pending',
  createdAt: 1767225600000,
  attempts: 2,
  nextAttemptAt: 1767225720000,
  lastAttemptAt: 1767225605000,
  lastStatus: 503,
  lastError: 'http_status',
};

const WebhookDeliverySummary = namedObject('WebhookDeliverySummary', deliveryMembers);

export const WebhookDelivery = Type.Object(
  {
    ...deliveryMembers,
    payload: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The body that is sent: `type`, `timestamp` and `data`',
    }),
    lastResponse: nullable(
      Type.String({ description: 'The first 1,024 bytes of the response to the last attempt' }),
    ),
  },
  {
    title: 'WebhookDelivery',
    examples: [{ ...DELIVERY_EXAMPLE, payload: { type: 'feedback.submitted' }, lastResponse: 'busy' }],
  },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryPage = Type.Object(
  { deliveries: Type.Array(WebhookDeliverySummary), nextCursor: NextCursor },
  { title: 'WebhookDeliveryPage', examples: [{ deliveries: [DELIVERY_EXAMPLE], nextCursor: null }] },
);
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>;

export const QueuedDelivery = Type.Object(
  { deliveryId: Type.String() },
  { title: 'QueuedDelivery', examples: [{ deliveryId: 'msg_5f0c1a2b3c4d5e6f70819203' }] },
);
export type QueuedDelivery = Static<typeof QueuedDelivery>;

export const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: '`whsec_…`' }),
  },
  { title: 'WebhookSecret', examples: [{ secret: 'whsec_…' }] },
);
