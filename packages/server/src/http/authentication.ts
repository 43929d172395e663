import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { ApiKey, KeyKind, PropertyConfiguration } from '../storage/property-configuration.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RequestStep } from './request-steps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
  }
}

export interface KeyDirectory {
  keyByText(text: string): ApiKey | undefined;
  property(id: string): PropertyConfiguration | undefined;
}

/** Who may call: the key must be there, known, within its rate and of the right kind, in this order. */
export class Authentication {
  readonly #keys: KeyDirectory;
  readonly #limiter: RateLimiter;

  constructor(keys: KeyDirectory, limiter: RateLimiter) {
    this.#keys = keys;
    this.#limiter = limiter;
  }

  requires(kind: KeyKind): RequestStep {
    return (request, reply) => {
      request.apiKey = this.#identify(request, reply, kind);
    };
  }

  #identify(request: FastifyRequest, reply: FastifyReply, kind: KeyKind): ApiKey {
    const text = request.headers['x-api-key'];
    if (text === undefined || text === '') throw new ApiError('api_key_missing');
    const key = typeof text === 'string' ? this.#keys.keyByText(text) : undefined;
    if (key === undefined) throw new ApiError('api_key_invalid');
    this.#limiter.take(key.id, reply);
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
