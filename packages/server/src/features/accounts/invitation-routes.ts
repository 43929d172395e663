import { Success } from '@switchyard/core/api/common';
import {
  CreatedInvitation,
  InvitationParams,
  Invitations,
  InviteBody,
  ManagedPropertyParams,
} from '@switchyard/core/api/members';
import { ApiError } from '../../errors.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import { ownOrigin } from '../../http/same-origin.ts';
import type { AccountParts } from './account-parts.ts';
import { createInvitation, listInvitations, MAX_INVITATIONS, revokeInvitation } from './invitation-store.ts';

const URL = '/v1/manage/properties/:propertyId/invitations';

/** Invitations as admins of a property see them. */
export function registerInvitationRoutes(api: ApiRoutes, parts: AccountParts): void {
  registerList(api, parts);
  registerInvite(api, parts);
  registerRevoke(api, parts);
}

function registerList(api: ApiRoutes, { database }: AccountParts): void {
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
      invitations: (await listInvitations(database, managed.id)).map(
        ({ propertyId: _propertyId, invitedBy: _invitedBy, ...invitation }) => invitation,
      ),
    }),
  );
}

function registerInvite(api: ApiRoutes, { database, publicUrl }: AccountParts): void {
  api.post<{ Params: ManagedPropertyParams; Body: InviteBody }>(
    URL,
    {
      tag: 'Management',
      summary: 'Invite somebody to the property',
      description:
        'The response has a link to pass on: nothing is sent. It is valid for 7 days and works once. Whoever has the link can accept it.',
      access: 'admin',
      params: ManagedPropertyParams,
      body: InviteBody,
      responses: { 201: { ...CreatedInvitation, description: 'Created. The link is shown only here' } },
    },
    async (request, reply) => {
      const { managed, caller, body } = request;
      if ((await listInvitations(database, managed.id)).length >= MAX_INVITATIONS) {
        const message = `A property can have ${MAX_INVITATIONS} open invitations. Revoke one first.`;
        throw new ApiError('invalid_request', { message });
      }
      const { invitation, token } = await createInvitation(database, {
        propertyId: managed.id,
        email: body.email,
        role: body.role,
        invitedBy: caller.account.id,
      });
      const { id, email, role, createdAt, expiresAt } = invitation;
      // After the hash sign, so that the token reaches neither logs nor other sites.
      const url = `${publicUrl ?? ownOrigin(request, undefined)}/invitation#token=${token}`;
      const created: CreatedInvitation = { id, email, role, createdAt, expiresAt, url };
      return reply.code(201).send(created);
    },
  );
}

function registerRevoke(api: ApiRoutes, { database }: AccountParts): void {
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
