import { SignedIn } from '@switchyard/core/api/accounts';
import { AcceptInvitationBody, InvitationLookupBody, InvitationPreview } from '@switchyard/core/api/members';
import { hasRole } from '@switchyard/core/api/role-order';
import type { FastifyRequest } from 'fastify';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import {
  accountResponse,
  createAccount,
  findAccount,
  findAccountByEmail,
  type StoredAccount,
} from './account-store.ts';
import { accountRole } from './caller-directory.ts';
import {
  findInvitation,
  reopenInvitation,
  type StoredInvitation,
  useInvitation,
} from './invitation-store.ts';
import { checkAttempt } from './sign-in-throttle.ts';

/** Invitations as the invited see them. The token is sent in a body: URLs end up in logs. */
export function registerInvitationAcceptance(api: ApiRoutes, services: AccountServices): void {
  registerLookup(api, services);
  registerAccept(api, services);
}

interface OpenInvitation {
  invitation: StoredInvitation;
  property: PropertyConfiguration;
}

/** Counts as a failed attempt of the address if the token is wrong. */
async function requireInvitation(
  { database, throttle, properties }: AccountServices,
  { ip }: FastifyRequest,
  token: string,
): Promise<OpenInvitation> {
  const attempt = await throttle.begin({ address: ip });
  return checkAttempt(attempt, async () => {
    const invitation = await findInvitation(database, token);
    const property = properties().find(({ id }) => id === invitation?.propertyId);
    if (invitation === undefined || property === undefined) throw new ApiError('invitation_invalid');
    const inviter = await findAccount(database, invitation.invitedBy);
    // Whoever lost the right to invite must not let others in with an old link.
    const mayInvite =
      inviter?.disabledAt === null && hasRole(accountRole(inviter.id, inviter.isOwner, property), 'admin');
    if (!mayInvite) throw new ApiError('invitation_invalid');
    return { invitation, property };
  });
}

function registerLookup(api: ApiRoutes, services: AccountServices): void {
  api.post<{ Body: InvitationLookupBody }>(
    '/v1/manage/invitations/lookup',
    {
      tag: 'Management',
      summary: 'What an invitation is for',
      access: 'anyone',
      body: InvitationLookupBody,
      responses: { 200: { ...InvitationPreview, description: 'The invitation' } },
      errors: ['invitation_invalid'],
    },
    async (request): Promise<InvitationPreview> => {
      const { invitation, property } = await requireInvitation(services, request, request.body.token);
      const { email, role, expiresAt } = invitation;
      const account = await findAccountByEmail(services.database, email);
      return {
        property: { id: property.id, name: property.name },
        email,
        role,
        expiresAt,
        accountExists: account !== undefined,
      };
    },
  );
}

function registerAccept(api: ApiRoutes, services: AccountServices): void {
  api.post<{ Body: AcceptInvitationBody }>(
    '/v1/manage/invitations/accept',
    {
      tag: 'Management',
      summary: 'Accept an invitation',
      description:
        'Creates the account with the password and signs in. If the account exists, be signed in as that account, and send only the token.',
      access: 'anyone',
      body: AcceptInvitationBody,
      responses: { 200: { ...SignedIn, description: 'Member of the property, and signed in' } },
      errors: ['invitation_invalid', 'sign_in_required', 'already_exists'],
    },
    async (request, reply): Promise<SignedIn> => {
      const open = await requireInvitation(services, request, request.body.token);
      const account = await accept(services, request, open, request.body);
      await join(services, open, account);
      await services.sessions.start(request, reply, account);
      return { account: accountResponse(account) };
    },
  );
}

/** Uses up the invitation and returns the account that accepts it, creating it if it is new. */
async function accept(
  { auth, database, hasher }: AccountServices,
  request: FastifyRequest,
  { invitation }: OpenInvitation,
  { name, password }: AcceptInvitationBody,
): Promise<StoredAccount> {
  const existing = await findAccountByEmail(database, invitation.email);
  if (existing !== undefined) {
    const caller = await auth.findCaller(request);
    if (caller?.via !== 'dashboard' || caller.account.id !== existing.id) {
      throw new ApiError('sign_in_required', {
        message: 'There is an account with this email. Sign in as that account, then accept the invitation.',
      });
    }
    if (!(await useInvitation(database, invitation.id))) throw new ApiError('invitation_invalid');
    return existing;
  }
  if (password === undefined) throw invalidField('/password', 'is required for a new account');
  const passwordHash = await hasher.hash(password);
  return inTransaction(database, async (transaction) => {
    if (!(await useInvitation(transaction, invitation.id))) throw new ApiError('invitation_invalid');
    if (await findAccountByEmail(transaction, invitation.email)) throw new ApiError('already_exists');
    return createAccount(transaction, { email: invitation.email, name, passwordHash, isOwner: false });
  });
}

/** An invitation never lowers a role. */
async function join(
  { database, members }: AccountServices,
  { invitation, property }: OpenInvitation,
  account: StoredAccount,
): Promise<void> {
  if (hasRole(accountRole(account.id, account.isOwner, property), invitation.role)) return;
  const actor = { type: 'account', id: account.id, name: account.name } as const;
  try {
    await members.saveMember(property.id, account.id, invitation.role, { actor, via: 'dashboard' });
  } catch (error) {
    await reopenInvitation(database, invitation.id);
    throw error;
  }
}
