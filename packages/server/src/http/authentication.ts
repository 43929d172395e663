import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ApiError } from '../errors.ts';
import type { ApiKey, KeyKind, PropertyConfiguration } from '../storage/property-configuration.ts';
import type { RouteDescription } from './api-description.ts';
import { allowAnyOrigin } from './cors.ts';
import type { RateLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
  }
}

export interface KeyDirectory {
  keyByText(text: string): ApiKey | undefined;
  property(id: string): PropertyConfiguration | undefined;
}

/**
 * Checks that the key is present, known, within its rate limit and of the right kind, in this order. On browser
 * endpoints, and for any request without a valid key, the rate limit of the client address is checked first.
 */
export class Authentication {
  readonly #keys: KeyDirectory;
  readonly #limiter: RateLimiter;

  constructor(keys: KeyDirectory, limiter: RateLimiter) {
    this.#keys = keys;
    this.#limiter = limiter;
  }

  /** The hook that checks the key of a route. Routes with a public key can be called from any origin. */
  requireKey({ key, bearer }: Pick<RouteDescription, 'key' | 'bearer'>): onRequestHookHandler {
    // A single hook: each additional hook costs about as much as its own work.
    return (request, reply, done) => {
      try {
        if (key === 'public') allowAnyOrigin(reply);
        request.apiKey = this.#identify(request, reply, key, bearer);
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    };
  }

  #identify(request: FastifyRequest, reply: FastifyReply, kind: KeyKind, bearer?: true): ApiKey {
    const text = request.headers['x-api-key'] ?? (bearer ? bearerToken(request) : undefined);
    if (kind === 'public') this.#limiter.takeAddress(request.ip, reply);
    const key = typeof text === 'string' ? this.#keys.keyByText(text) : undefined;
    if (key === undefined) {
      if (kind !== 'public') this.#limiter.takeAddress(request.ip, reply);
      throw new ApiError(text === undefined || text === '' ? 'api_key_missing' : 'api_key_invalid');
    }
    this.#limiter.takeKey(key.id, reply);
    if (key.kind !== kind) throw new ApiError('wrong_key_kind');
    return key;
  }

  /** The property of the request; the same error for unknown and for foreign properties, so that callers learn nothing. */
  property(request: FastifyRequest, propertyId: string): PropertyConfiguration {
    const property = propertyId === request.apiKey.propertyId ? this.#keys.property(propertyId) : undefined;
    if (property === undefined) throw new ApiError('wrong_property');
    return property;
  }
}

/** The scheme is case-insensitive. */
function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
