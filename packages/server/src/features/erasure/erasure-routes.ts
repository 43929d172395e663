import {
  DryRun,
  Erasure,
  ErasureBody,
  ErasureParams,
  IdempotencyHeaders,
  PropertyParams,
  WriteQuery,
} from '@switchyard/core/api/management';
import { ApiError } from '../../errors.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import type { IdempotentCreation } from '../../http/idempotent-creation.ts';
import type { Database } from '../../storage/database.ts';
import type { Subject } from '../../storage/event-store.ts';
import { inTransaction } from '../../storage/in-transaction.ts';
import { type ErasureRequest, findErasure, requestErasure } from './erasure-store.ts';

interface Parts {
  database: Database;
  idempotency: IdempotentCreation;
}

const URL = '/v1/manage/properties/:propertyId/erasures';

/** Erasing everything about a visitor, a user or a session. */
export function registerErasureRoutes(api: ApiRoutes, { database, idempotency }: Parts): void {
  api.post<{ Body: ErasureBody; Querystring: WriteQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Erase all events of a visitor, a user or a session',
      description: 'Carried out in the background; cannot be undone.',
      access: 'admin',
      params: PropertyParams,
      headers: IdempotencyHeaders,
      querystring: WriteQuery,
      body: ErasureBody,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        202: { ...Erasure, description: 'Accepted' },
      },
      errors: ['idempotency_in_flight', 'idempotency_key_reused'],
    },
    (request, reply) =>
      idempotency.run(request, reply, async (record) => {
        if (request.query.dryRun) return reply.send(planned(request.body));
        const subject = { propertyId: request.managed.id, ...request.body } as Subject;
        const response = await inTransaction(database, async (transaction) => {
          const id = await requestErasure(transaction, subject);
          const accepted = erasureResponse((await findErasure(transaction, id))!);
          await record(transaction, { status: 202, response: accepted });
          return accepted;
        });
        return reply.code(202).send(response);
      }),
  );
  api.get<{ Params: ErasureParams }>(
    `${URL}/:erasureId`,
    {
      tag: 'Management',
      summary: 'The progress of an erasure',
      access: 'admin',
      params: ErasureParams,
      responses: { 200: { ...Erasure, description: 'Its state' } },
    },
    async ({ managed, params }) => {
      const erasure = await findErasure(database, params.erasureId);
      if (erasure?.propertyId !== managed.id) throw new ApiError('not_found');
      return erasureResponse(erasure);
    },
  );
}

/** What was found is not counted: that would read as much as the erasure itself. */
function planned(body: ErasureBody): object {
  const [[field = '', value] = []] = Object.entries(body);
  const summary = [`Erases all events with the ${field} "${value}".`];
  return { dryRun: true, changes: [], summary, warnings: ['This cannot be undone.'] };
}

function erasureResponse({ id, requestedAt, finishedAt, rows, error }: ErasureRequest): object {
  const state = finishedAt === null ? 'pending' : 'done';
  // The message of a failed attempt is for the server log: it may contain paths.
  return {
    id,
    state,
    requestedAt,
    finishedAt,
    rows,
    error: error === null ? null : 'The last attempt failed.',
  };
}
