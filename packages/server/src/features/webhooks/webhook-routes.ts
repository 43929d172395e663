import { DryRun, WriteQuery } from '@switchyard/core/api/management';
import {
  DeliveryParams,
  DeliveryQuery,
  QueuedDelivery,
  TEST_EVENT,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookParams,
  WebhookSecret,
} from '@switchyard/core/api/webhooks';
import { type Database, newId } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';
import { decodeListCursor, encodeListCursor } from '../../http/contract/paging.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import {
  type DeliverySummary,
  findDelivery,
  listDeliveries,
  requeueDelivery,
  type StoredDelivery,
  type WebhookRef,
} from './delivery-store.ts';
import { insertDelivery } from './enqueue.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/** Sends the deliveries of a webhook without delay. */
export type WakeWebhooks = (webhook: WebhookRef) => void;

interface Dependencies {
  database: Database;
  writer: ConfigurationWriter;
  wake: WakeWebhooks;
}

const WEBHOOK = '/v1/manage/properties/:propertyId/webhooks/:key';
/** Only for admins, because payloads contain feedback. */
const COMMON = { tag: 'Management', access: 'admin', errors: ['not_found'] } as const;

export function registerWebhookRoutes(api: ApiRoutes, { database, writer, wake }: Dependencies): void {
  registerReads(api, database);
  registerRotation(api, writer);
  api.post<{ Params: DeliveryParams }>(
    `${WEBHOOK}/deliveries/:deliveryId/resend`,
    {
      ...COMMON,
      summary: 'Send a delivery again',
      description: 'Sends it immediately, with the same `webhook-id` and body, and starts its retries over.',
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

function registerRotation(api: ApiRoutes, writer: ConfigurationWriter): void {
  api.post<{ Params: WebhookParams; Querystring: WriteQuery }>(
    `${WEBHOOK}/rotate-secret`,
    {
      ...COMMON,
      summary: 'Replace the signing secret',
      description:
        'Takes effect at once, also for queued deliveries. The secret is shown only in this response.',
      params: WebhookParams,
      querystring: WriteQuery,
      responses: {
        200: {
          anyOf: [WebhookSecret, DryRun],
          description: 'The new secret, or with `dryRun` what would change',
        },
      },
    },
    async ({ managed, params, caller: { actor, via }, query }) => {
      const secret = newWebhookSecret();
      const by = { actor, via, comment: query.comment ?? null, dryRun: query.dryRun === true };
      await writer.changeProperty(managed.id, by, ({ current }) => {
        if (current === undefined) throw notFound('The property has no such webhook.');
        requireWebhook(current, params.key);
        const webhooks = current.webhooks.map((webhook) =>
          webhook.id === params.key ? { ...webhook, secret } : webhook,
        );
        return { ...current, webhooks };
      });
      if (!query.dryRun) return { secret };
      // The secret itself is never shown as a difference.
      return {
        dryRun: true,
        changes: [],
        summary: [`Webhook ${params.key} – secret replaced`],
        warnings: [],
      };
    },
  );
}

function registerReads(api: ApiRoutes, database: Database): void {
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
  wake: WakeWebhooks,
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
  wake: WakeWebhooks,
): Promise<QueuedDelivery> {
  const { propertyId, webhookId } = webhook;
  const deliveryId = await inLockingTransaction(database, (transaction) =>
    insertDelivery(transaction, propertyId, webhookId, {
      type: TEST_EVENT,
      data: { propertyId, webhookId },
      dedupeKey: newId('test'),
      at: Date.now(),
    }),
  );
  wake(webhook);
  return { deliveryId: deliveryId as string };
}

function summaryOf(row: DeliverySummary): WebhookDeliveryPage['deliveries'][number] {
  return {
    id: row.id,
    type: row.type,
    state: row.state,
    createdAt: row.created_at,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

function detailOf(row: StoredDelivery): WebhookDelivery {
  return { ...summaryOf(row), payload: JSON.parse(row.body), lastResponse: row.last_response };
}
