import { IdempotencyHeaders, Success } from '@switchyard/core/api/common';
import { DryRun, WriteQuery } from '@switchyard/core/api/management';
import {
  CreatedInvitation,
  InvitationParams,
  Invitations,
  InviteBody,
  ManagedPropertyParams,
} from '@switchyard/core/api/members';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { ownOrigin } from '../../http/access/same-origin.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import {
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
  revokeInvitation,
  type StoredInvitation,
} from './invitation-store.ts';

const URL = '/v1/manage/properties/:propertyId/invitations';

/** Invitations as admins of a property see them. */
export function registerInvitationRoutes(api: ApiRoutes, services: AccountServices): void {
  registerList(api, services);
  registerInvite(api, services);
  registerRevoke(api, services);
}

function registerList(api: ApiRoutes, { database }: AccountServices): void {
  api.get(
    URL,
    {
      tag: 'Management',
      summary: 'Open invitations to the property',
      access: 'admin',
      params: ManagedPropertyParams,
      responses: { 200: { ...Invitations, description: 'Newest first' } },
    },
    async ({ managed }): Promise<Invitations> => ({
      invitations: (await listInvitations(database, managed.id)).map(shown),
    }),
  );
}

function registerInvite(api: ApiRoutes, { database, publicUrl, idempotency }: AccountServices): void {
  api.post<{ Params: ManagedPropertyParams; Body: InviteBody; Querystring: WriteQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Invite somebody to the property',
      description:
        'The response has a link that you pass on; no email is sent. It is valid for 7 days and works once. Whoever has the link can accept it.',
      access: 'admin',
      params: ManagedPropertyParams,
      headers: IdempotencyHeaders,
      querystring: WriteQuery,
      body: InviteBody,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        201: { ...CreatedInvitation, description: 'Created. The link is shown only here' },
      },
      errors: ['idempotency_in_flight', 'idempotency_key_reused'],
    },
    (request, reply) =>
      idempotency.run(request, reply, async (record) => {
        const { managed, caller, body } = request;
        if (request.query.dryRun) return reply.send(await planned(database, managed.id, body));
        const { invitation, token } = await inTransaction(database, async (transaction) => {
          await requireRoom(transaction, managed.id);
          const created = await createInvitation(transaction, {
            propertyId: managed.id,
            email: body.email,
            role: body.role,
            invitedBy: caller.account.id,
          });
          await record(transaction, { status: 201, response: { ...shown(created.invitation), url: null } });
          return created;
        });
        // After the hash sign, so that the token reaches neither logs nor other sites.
        const url = `${publicUrl ?? ownOrigin(request, undefined)}/invitation#token=${token}`;
        const response: CreatedInvitation = { ...shown(invitation), url };
        return reply.code(201).send(response);
      }),
  );
}

async function planned(database: Database, propertyId: string, { email, role }: InviteBody): Promise<object> {
  await requireRoom(database, propertyId);
  return { dryRun: true, changes: [], summary: [`Invites ${email} as ${role}.`], warnings: [] };
}

async function requireRoom(database: Database, propertyId: string): Promise<void> {
  if ((await listInvitations(database, propertyId)).length < MAX_INVITATIONS) return;
  const message = `A property can have ${MAX_INVITATIONS} open invitations. Revoke one first.`;
  throw new ApiError('invalid_request', { message });
}

/** Without what only the server needs. */
function shown({ id, email, role, createdAt, expiresAt }: StoredInvitation) {
  return { id, email, role, createdAt, expiresAt };
}

function registerRevoke(api: ApiRoutes, { database }: AccountServices): void {
  api.delete<{ Params: InvitationParams }>(
    `${URL}/:id`,
    {
      tag: 'Management',
      summary: 'Revoke an invitation',
      access: 'admin',
      params: InvitationParams,
      responses: { 200: Success },
    },
    async ({ managed, params }) => {
      if (!(await revokeInvitation(database, managed.id, params.id))) throw new ApiError('not_found');
      return { success: true };
    },
  );
}
