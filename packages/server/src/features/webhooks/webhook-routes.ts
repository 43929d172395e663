import {
  DeliveryParams,
  DeliveryQuery,
  QueuedDelivery,
  TEST_EVENT,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookParams,
} from '@switchyard/core/api/webhooks';
import type { FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { decodeListCursor, encodeListCursor } from '../../http/paging.ts';
import { type Database, newId } from '../../storage/database.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import {
  type DeliverySummary,
  findDelivery,
  listDeliveries,
  requeueDelivery,
  type StoredDelivery,
  type WebhookRef,
} from './delivery-store.ts';
import { insertDelivery } from './enqueue.ts';

interface Dependencies {
  database: Database;
  /** Sends the deliveries of a webhook without delay. */
  wake: (webhook: WebhookRef) => void;
}

/** The part of the management API that these routes need. */
interface ManagementRoutes {
  get<T extends RouteGenericInterface>(url: string, route: Declaration, handler: Handler<T>): void;
  post<T extends RouteGenericInterface>(url: string, route: Declaration, handler: Handler<T>): void;
}

interface Declaration {
  tag: 'Management';
  access: 'admin';
  summary: string;
  description?: string;
  params: object;
  querystring?: object;
  responses: Record<number, object>;
  errors: readonly ErrorCode[];
}

type Handler<T extends RouteGenericInterface> = (
  request: FastifyRequest<T> & { managed: PropertyConfiguration },
  reply: FastifyReply,
) => unknown;

const WEBHOOK = '/v1/manage/properties/:propertyId/webhooks/:key';
/** Only for admins, because payloads contain feedback. */
const COMMON = { tag: 'Management', access: 'admin', errors: ['not_found'] } as const;

export function registerWebhookRoutes(api: ManagementRoutes, { database, wake }: Dependencies): void {
  registerReads(api, database);
  api.post<{ Params: DeliveryParams }>(
    `${WEBHOOK}/deliveries/:deliveryId/resend`,
    {
      ...COMMON,
      summary: 'Send a delivery again',
      description: 'Immediately, with the same `webhook-id` and body, and with all its attempts.',
      params: DeliveryParams,
      responses: { 202: { ...QueuedDelivery, description: 'Queued' } },
    },
    async ({ managed, params }, reply) => {
      const webhook = requireWebhook(managed, params.key);
      return reply.code(202).send(await resendDelivery(database, webhook, params.deliveryId, wake));
    },
  );
  api.post<{ Params: WebhookParams }>(
    `${WEBHOOK}/test`,
    {
      ...COMMON,
      summary: 'Send a test event',
      description:
        'Queues an event of the type `webhook.test`. A disabled webhook gets it once it is enabled.',
      params: WebhookParams,
      responses: { 202: { ...QueuedDelivery, description: 'Queued' } },
    },
    async ({ managed, params }, reply) => {
      const webhook = requireWebhook(managed, params.key);
      return reply.code(202).send(await queueTest(database, webhook, wake));
    },
  );
}

function registerReads(api: ManagementRoutes, database: Database): void {
  api.get<{ Params: WebhookParams; Querystring: DeliveryQuery }>(
    `${WEBHOOK}/deliveries`,
    {
      ...COMMON,
      summary: 'Deliveries of a webhook, newest first',
      description: 'Finished deliveries are kept for 30 days, and at most 1,000 of them.',
      params: WebhookParams,
      querystring: DeliveryQuery,
      responses: { 200: { ...WebhookDeliveryPage, description: 'One page' } },
    },
    ({ managed, params, query }) => deliveryPage(database, requireWebhook(managed, params.key), query),
  );
  api.get<{ Params: DeliveryParams }>(
    `${WEBHOOK}/deliveries/:deliveryId`,
    {
      ...COMMON,
      summary: 'A delivery with its payload and the last response',
      params: DeliveryParams,
      responses: { 200: { ...WebhookDelivery, description: 'The delivery' } },
    },
    ({ managed, params }) => deliveryDetail(database, requireWebhook(managed, params.key), params.deliveryId),
  );
}

function requireWebhook({ id, webhooks }: PropertyConfiguration, key: string): WebhookRef {
  if (!webhooks.some((webhook) => webhook.id === key)) throw notFound('The property has no such webhook.');
  return { propertyId: id, webhookId: key };
}

const notFound = (message: string) => new ApiError('not_found', { message });

export async function deliveryPage(
  database: Database,
  webhook: WebhookRef,
  { limit = 50, cursor, state }: DeliveryQuery,
): Promise<WebhookDeliveryPage> {
  const before = decodeListCursor(cursor)?.at;
  const rows = await listDeliveries(database, webhook, { limit: limit + 1, before, state });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    deliveries: shown.map(summaryOf),
    nextCursor: encodeListCursor(last && { at: last.position, id: last.id }),
  };
}

export async function deliveryDetail(
  database: Database,
  webhook: WebhookRef,
  id: string,
): Promise<WebhookDelivery> {
  return detailOf(await requireDelivery(database, webhook, id));
}

async function requireDelivery(database: Database, webhook: WebhookRef, id: string): Promise<StoredDelivery> {
  const delivery = await findDelivery(database, webhook, id);
  if (delivery === undefined) throw notFound('The webhook has no such delivery.');
  return delivery;
}

export async function resendDelivery(
  database: Database,
  webhook: WebhookRef,
  id: string,
  wake: Dependencies['wake'],
): Promise<QueuedDelivery> {
  if (!(await requeueDelivery(database, webhook, id, Date.now()))) {
    throw notFound('The webhook has no such delivery.');
  }
  wake(webhook);
  return { deliveryId: id };
}

export async function queueTest(
  database: Database,
  webhook: WebhookRef,
  wake: Dependencies['wake'],
): Promise<QueuedDelivery> {
  const { propertyId, webhookId } = webhook;
  const deliveryId = await insertDelivery(database, propertyId, webhookId, {
    type: TEST_EVENT,
    data: { propertyId, webhookId },
    dedupeKey: newId('test'),
    at: Date.now(),
  });
  wake(webhook);
  return { deliveryId: deliveryId as string };
}

function summaryOf(row: DeliverySummary): WebhookDeliveryPage['deliveries'][number] {
  return {
    ...{ id: row.id, type: row.type, state: row.state, createdAt: row.created_at, attempts: row.attempts },
    ...{ nextAttemptAt: row.next_attempt_at, lastAttemptAt: row.last_attempt_at },
    ...{ lastStatus: row.last_status, lastError: row.last_error },
  };
}

function detailOf(row: StoredDelivery): WebhookDelivery {
  return { ...summaryOf(row), payload: JSON.parse(row.body), lastResponse: row.last_response };
}
