import { PublicKey, PublicKeyQuery } from '@switchyard/core/api/keys';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';

interface Dependencies {
  auth: Authentication;
}

export function registerKeyRoutes(api: ApiRoutes, { auth }: Dependencies): void {
  api.get<{ Querystring: { propertyId: string } }>(
    '/v1/keys/public',
    {
      tag: 'Keys',
      summary: 'The newest public key of the property',
      description:
        'For backends that render pages: they only need a secret key, and can pass the public key on to the page.',
      key: 'secret',
      querystring: PublicKeyQuery,
      responses: { 200: { ...PublicKey, description: 'The key' } },
      errors: ['wrong_property', 'not_found'],
    },
    (request) => {
      const { apiKeys } = auth.property(request, request.query.propertyId);
      const publicApiKey = apiKeys.findLast(({ kind }) => kind === 'public')?.publicKey;
      if (!publicApiKey) throw new ApiError('not_found');
      return { publicApiKey };
    },
  );
}
