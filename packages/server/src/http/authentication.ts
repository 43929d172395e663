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
 * Who may call: the key must be there, known, within its rate and of the right kind, in this order. Where browsers
 * call, and for requests without a valid key anywhere, the rate of the client's address comes first.
 */
export class Authentication {
  readonly #keys: KeyDirectory;
  readonly #limiter: RateLimiter;

  constructor(keys: KeyDirectory, limiter: RateLimiter) {
    this.#keys = keys;
    this.#limiter = limiter;
  }

  /** The hook of a route that asks for the key it declares. The public one is for pages. */
  requireKey({ key, bearer }: Pick<RouteDescription, 'key' | 'bearer'>): onRequestHookHandler {
    // One hook for all: each stage of hooks costs about as much as what happens in it.
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

  /** The property of the request, provided that it is the one of the key: a caller learns nothing of others. */
  property(request: FastifyRequest, propertyId: string): PropertyConfiguration {
    const property = propertyId === request.apiKey.propertyId ? this.#keys.property(propertyId) : undefined;
    if (property === undefined) throw new ApiError('wrong_property');
    return property;
  }
}

/** The scheme of the header may be written in any case. */
function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
