import {
  Erasure,
  ErasureBody,
  ErasureParams,
  ErasurePlan,
  IdempotencyHeaders,
  PropertyParams,
  WriteQuery,
} from '@switchyard/core/api/management';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { PersonalSubject, SubjectContents } from '../../events/store/erasure-subject.ts';
import type { IdempotentCreation } from '../../http/contract/idempotent-creation.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { erasurePlan } from './erasure-plan.ts';
import { type ErasureRequest, findErasure, requestErasure } from './erasure-store.ts';

interface Services {
  database: Database;
  idempotency: IdempotentCreation;
  /** Counts on another thread, for a limited time. */
  contentsOf: (subject: PersonalSubject) => Promise<SubjectContents>;
}

const URL = '/v1/manage/properties/:propertyId/erasures';

/** Erasing everything about a visitor, a user or a session, or single entries. */
export function registerErasureRoutes(api: ApiRoutes, { database, idempotency, contentsOf }: Services): void {
  api.post<{ Body: ErasureBody; Querystring: WriteQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Erase everything about a visitor, a user or a session, or single entries',
      description:
        'Carried out in the background; cannot be undone. Nothing more is stored about erased visitors, users and sessions, whatever arrives later.',
      access: 'admin',
      params: PropertyParams,
      headers: IdempotencyHeaders,
      querystring: WriteQuery,
      body: ErasureBody,
      responses: {
        200: { ...ErasurePlan, description: 'With `dryRun`: what would be erased' },
        202: { ...Erasure, description: 'Accepted' },
      },
      errors: ['idempotency_in_flight', 'idempotency_key_reused', ...EVENT_QUERY_ERRORS],
    },
    (request, reply) =>
      idempotency.run(request, reply, async (record) => {
        const subject = { propertyId: request.managed.id, ...request.body } as PersonalSubject;
        if (request.query.dryRun) return reply.send(erasurePlan(subject, await contentsOf(subject)));
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

export function erasureResponse({ id, requestedAt, finishedAt, rows, error }: ErasureRequest): object {
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
