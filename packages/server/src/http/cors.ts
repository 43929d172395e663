import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { PropertyConfiguration } from '../storage/property-configuration.ts';
import { UNLISTED } from './api-description.ts';

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'x-api-key, content-type, idempotency-key',
  'access-control-max-age': '86400',
};

const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy, etag';

/** Answers the preflight of a browser endpoint; it carries no key, so it allows any origin and the request itself decides. */
export function answerPreflight(app: FastifyInstance, url: string, methods: string): void {
  const headers = { ...PREFLIGHT, 'access-control-allow-methods': methods };
  app.options(url, UNLISTED, (_request, reply) => reply.code(204).headers(headers).send());
}

/** Before the key is looked at: errors must be readable by the page too. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', EXPOSED);
}

/** Refuses pages from origins that the property does not list. */
export function checkOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  property: PropertyConfiguration,
): void {
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
