import type { FastifyInstance } from 'fastify';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { UNLISTED } from '../contract/api-description.ts';
import type { HotReply, HotRequest } from '../contract/hot-route.ts';

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'x-api-key, content-type, idempotency-key',
  'access-control-max-age': '86400',
};

const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy, etag';

/** Allows any origin: a preflight carries no key, so the origin can only be checked in the request itself. */
export function registerPreflight(app: FastifyInstance, url: string, methods: string): void {
  const headers = { ...PREFLIGHT, 'access-control-allow-methods': methods };
  app.options(url, UNLISTED, (_request, reply) => reply.code(204).headers(headers).send());
}

/** Called before the key is checked, so that pages can read error responses too. */
export function allowAnyOrigin(reply: HotReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', EXPOSED);
}

/** Rejects requests from origins that the property does not allow. */
export function checkOrigin(request: HotRequest, reply: HotReply, property: PropertyConfiguration): void {
  if (property.allowedOrigins === null) return;
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined) return;
  if (!property.allowedOrigins.includes(origin)) {
    reply.removeHeader('access-control-allow-origin');
    throw new ApiError('origin_not_allowed');
  }
  reply.header('access-control-allow-origin', origin);
}
