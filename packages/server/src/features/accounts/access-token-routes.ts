import { AccessTokens, CreatedToken, CreateTokenBody, TokenParams } from '@switchyard/core/api/access-tokens';
import { IdempotencyHeaders, Success } from '@switchyard/core/api/common';
import { hasRole, ROLES, type Role } from '@switchyard/core/api/role-order';
import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { TOKEN_PREFIX } from '../../http/access/authentication.ts';
import type { Caller } from '../../http/contract/caller.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import { countTokens, createToken, deleteToken, listTokens, MAX_TOKENS } from './access-token-store.ts';
import type { AccountServices } from './account-services.ts';

const MAX_LIFETIME_MS = 366 * DAY_MS;

export function registerAccessTokenRoutes(api: ApiRoutes, services: AccountServices): void {
  registerList(api, services);
  registerCreate(api, services);
  registerDelete(api, services);
}

function registerList(api: ApiRoutes, { database }: AccountServices): void {
  api.get(
    '/v1/manage/me/tokens',
    {
      tag: 'Management',
      summary: 'The access tokens of the account',
      access: 'account',
      session: true,
      responses: { 200: { ...AccessTokens, description: 'Newest first; expired ones too' } },
    },
    async ({ caller }): Promise<AccessTokens> => ({ tokens: await listTokens(database, caller.account.id) }),
  );
}

function registerCreate(api: ApiRoutes, { database, properties, idempotency }: AccountServices): void {
  api.post<{ Body: CreateTokenBody }>(
    '/v1/manage/me/tokens',
    {
      tag: 'Management',
      summary: 'Create an access token',
      description:
        'For scripts, CI and agents. A token may do what its role allows, and never more than the account may at that time. It cannot create tokens, and cannot change passwords, two-factor or sessions.',
      access: 'account',
      session: true,
      headers: IdempotencyHeaders,
      body: CreateTokenBody,
      responses: { 201: { ...CreatedToken, description: 'Created. The token is shown only here' } },
      errors: ['idempotency_in_flight', 'idempotency_key_reused'],
    },
    (request, reply) =>
      idempotency.run(request, reply, async (record) => {
        const { caller, body } = request;
        checkExpiry(body.expiresAt, Date.now());
        checkRole(caller, body, properties());
        const { token, text } = await inTransaction(database, async (transaction) => {
          await requireRoom(transaction, caller.account.id);
          const created = await createToken(transaction, caller.account.id, TOKEN_PREFIX, body);
          await record(transaction, { status: 201, response: { ...created.token, token: null } });
          return created;
        });
        const response: CreatedToken = { ...token, token: text };
        return reply.code(201).send(response);
      }),
  );
}

async function requireRoom(database: Database, accountId: string): Promise<void> {
  if ((await countTokens(database, accountId)) < MAX_TOKENS) return;
  const message = `An account can have ${MAX_TOKENS} access tokens. Delete one first.`;
  throw new ApiError('invalid_request', { message });
}

function checkExpiry(expiresAt: number, now: number): void {
  if (expiresAt > now && expiresAt <= now + MAX_LIFETIME_MS) return;
  throw invalidField('/expiresAt', 'must be in the future and at most a year ahead');
}

/** Not needed for safety, since the role is limited at use too, but better than a token that does not work. */
function checkRole(
  caller: Caller,
  { role, properties: ids }: CreateTokenBody,
  all: readonly PropertyConfiguration[],
): void {
  const roles = (ids ?? all.map(({ id }) => id)).map((id, index) => {
    const property = all.find((candidate) => candidate.id === id);
    const own = property && caller.roleIn(property);
    if (ids !== undefined && own === undefined) {
      throw invalidField(`/properties/${index}`, 'is not one of your properties');
    }
    return own;
  });
  const compared = ids === undefined ? highest(roles) : lowest(roles);
  if (caller.account.isOwner || hasRole(compared, role)) return;
  throw new ApiError('role_required', {
    message: `A token cannot have a higher role than you: ${compared ?? 'you have none'}.`,
  });
}

const rank = (role: Role | undefined) => (role === undefined ? -1 : ROLES.indexOf(role));
const highest = (roles: (Role | undefined)[]) => [...roles].sort((a, b) => rank(b) - rank(a))[0];
const lowest = (roles: (Role | undefined)[]) => [...roles].sort((a, b) => rank(a) - rank(b))[0];

function registerDelete(api: ApiRoutes, { database, accessChanged }: AccountServices): void {
  api.delete<{ Params: TokenParams }>(
    '/v1/manage/me/tokens/:id',
    {
      tag: 'Management',
      summary: 'Revoke an access token at once',
      access: 'account',
      session: true,
      params: TokenParams,
      responses: { 200: Success },
    },
    async ({ caller, params }) => {
      if (!(await deleteToken(database, caller.account.id, params.id))) throw new ApiError('not_found');
      await accessChanged();
      return { success: true };
    },
  );
}
