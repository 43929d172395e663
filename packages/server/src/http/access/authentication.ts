import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type {
  ApiKey,
  KeyKind,
  PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { KeyAccess, ManagementAccess } from '../contract/api-description.ts';
import { type Caller, type CallerDirectory, mayCall, mayCallIn } from '../contract/caller.ts';
import type { HotReply, HotRequest } from '../contract/hot-route.ts';
import { allowAnyOrigin } from './cors.ts';
import type { CredentialUsage } from './credential-usage.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requireSameOrigin } from './same-origin.ts';
import { readCookie, SESSION_COOKIE } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
    awaitsKey: boolean;
  }
}

export interface KeyDirectory {
  keyByText(text: string): ApiKey | undefined;
  property(id: string): PropertyConfiguration | undefined;
}

interface Dependencies {
  keys: KeyDirectory;
  callers: Pick<CallerDirectory, 'bySession' | 'byToken'>;
  limiter: RateLimiter;
  usage: CredentialUsage;
  publicUrl: string | undefined;
}

export const TOKEN_PREFIX = 'service_adm_';
const SECRET_PREFIX = 'service_sec_';

/** Throws, or rejects if it had to ask another process; synchronous otherwise, as most requests are. */
export type CheckKey = (request: HotRequest, reply: HotReply) => Promise<void> | undefined;

/**
 * Checks who is calling. With an API key: that the key is present, known, within its rate limit and of the right kind,
 * in this order. With a session cookie or an access token: that it is valid, within its rate limit, sent by our own
 * pages if it is a cookie that changes something, a member of the property, and has the role.
 *
 * On browser endpoints, and for any request without valid credentials, the rate limit of the client address is
 * checked first.
 */
export class Authentication {
  readonly #keys: KeyDirectory;
  readonly #callers: Dependencies['callers'];
  readonly #limiter: RateLimiter;
  readonly #usage: CredentialUsage;
  readonly #publicUrl: string | undefined;

  constructor({ keys, callers, limiter, usage, publicUrl }: Dependencies) {
    this.#keys = keys;
    this.#callers = callers;
    this.#limiter = limiter;
    this.#publicUrl = publicUrl;
    this.#usage = usage;
  }

  /** Checks the key of a route. Routes with a public key can be called from any origin. */
  requireKey({ key, bearer, members, body }: KeyAccess & { body?: object }): CheckKey {
    if (key === 'public')
      return (request, reply) => this.#requirePublicKey(request, reply, body !== undefined);
    return (request, reply) => {
      if (members && request.headers['x-api-key'] === undefined && hasAccountCredential(request)) {
        reply.header('cache-control', 'private, no-cache');
        return this.#requireCaller(request, reply).then(() => undefined);
      }
      const text = request.headers['x-api-key'] ?? (bearer ? bearerToken(request) : undefined);
      return this.#useKey(request, reply, key, text);
    };
  }

  /**
   * The key is in the header, in the query or in the body: pages of other origins can send the last two without a
   * preflight. A key in the body is checked by `useBodyKey`.
   */
  #requirePublicKey(request: HotRequest, reply: HotReply, hasBody: boolean): Promise<void> | undefined {
    allowAnyOrigin(reply);
    return after(this.#limiter.takeAddress(request.ip, reply), () => {
      const header = request.headers['x-api-key'];
      if (header !== undefined) return this.#useKey(request, reply, 'public', header);
      const { key } = request.query as { key?: string };
      if (key !== undefined || !hasBody) return this.#useVisibleKey(request, reply, key);
      request.awaitsKey = true;
      return undefined;
    });
  }

  /** Checks the key of a request that has it neither in the header nor in the query. */
  useBodyKey(request: HotRequest, reply: HotReply): Promise<void> | undefined {
    request.awaitsKey = false;
    const { apiKey } = { ...(request.body as { apiKey?: string } | null) };
    return this.#useVisibleKey(request, reply, apiKey);
  }

  /** A key in a place where others may see it. */
  #useVisibleKey(request: HotRequest, reply: HotReply, text: string | undefined): Promise<void> | undefined {
    if (typeof text === 'string' && text.startsWith(SECRET_PREFIX)) {
      throw new ApiError('api_key_invalid', { message: SECRET_IS_VISIBLE });
    }
    return this.#useKey(request, reply, 'public', text);
  }

  /** The hook of a management route. */
  requireAccess({ access, session }: ManagementAccess): onRequestHookHandler {
    if (access === 'anyone') {
      return async (request, reply) => {
        reply.header('cache-control', 'no-store');
        await this.#limiter.takeAddress(request.ip, reply);
        if (isWrite(request)) requireSameOrigin(request, this.#publicUrl, { withoutHeaders: 'allow' });
      };
    }
    return async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const caller = await this.#requireCaller(request, reply);
      if (caller.via === 'dashboard' && isWrite(request)) {
        requireSameOrigin(request, this.#publicUrl, { withoutHeaders: 'refuse' });
      }
      const { propertyId } = request.params as { propertyId?: string };
      if (propertyId === undefined) {
        if (!mayCall(caller, access)) throw new ApiError('role_required', { message: NOT_OWNER });
      } else {
        request.managed = this.#managed(caller, propertyId);
        if (!mayCallIn(caller, request.managed, access)) throw roleRequired(access);
      }
      if (session && caller.via !== 'dashboard') throw new ApiError('role_required', { message: NO_TOKENS });
    };
  }

  /** The caller of a request on a route that anyone may call; undefined without valid credentials. */
  async findCaller(request: Pick<HotRequest, 'headers'>): Promise<Caller | undefined> {
    const token = bearerToken(request);
    if (token !== undefined) {
      return token.startsWith(TOKEN_PREFIX) ? this.#callers.byToken(token) : undefined;
    }
    const cookie = readCookie(request, SESSION_COOKIE);
    return cookie === undefined ? undefined : this.#callers.bySession(cookie);
  }

  async #requireCaller(request: HotRequest, reply: HotReply): Promise<Caller> {
    const caller = await this.findCaller(request);
    if (caller === undefined) {
      await this.#limiter.takeAddress(request.ip, reply);
      throw new ApiError('sign_in_required');
    }
    await this.#limiter.takeAccount(caller.account.id, reply);
    request.caller = caller;
    return caller;
  }

  /** Sets the key of the request; a promise only if a rate limit has to be asked for. */
  #useKey(
    request: HotRequest,
    reply: HotReply,
    kind: KeyKind,
    text: string | string[] | undefined,
  ): Promise<void> | undefined {
    const key = typeof text === 'string' ? this.#keys.keyByText(text) : undefined;
    if (key === undefined) {
      const counted = kind === 'public' ? undefined : this.#limiter.takeAddress(request.ip, reply);
      return after(counted, () => {
        throw new ApiError(text === undefined || text === '' ? 'api_key_missing' : 'api_key_invalid');
      });
    }
    this.#usage.touch(key.id);
    return after(this.#limiter.takeKey(key.id, reply), () => {
      if (key.kind !== kind) throw new ApiError('wrong_key_kind');
      request.apiKey = key;
      return undefined;
    });
  }

  /** The property of the request; the same error for unknown and for foreign properties, so that callers learn nothing. */
  property(request: Pick<HotRequest, 'apiKey' | 'caller'>, propertyId: string): PropertyConfiguration {
    if (request.caller !== undefined) return this.#managed(request.caller, propertyId);
    const property = propertyId === request.apiKey.propertyId ? this.#keys.property(propertyId) : undefined;
    if (property === undefined) throw new ApiError('wrong_property');
    return property;
  }

  #managed(caller: Caller, propertyId: string): PropertyConfiguration {
    const property = this.#keys.property(propertyId);
    if (property === undefined || caller.roleIn(property) === undefined) throw new ApiError('not_found');
    return property;
  }
}

/** Without a promise there is nothing to wait for: most requests continue at once. */
const after = (
  pending: Promise<void> | undefined,
  next: () => Promise<void> | undefined,
): Promise<void> | undefined => (pending === undefined ? next() : pending.then(next));

const NOT_OWNER = 'Only owners may do this.';
const SECRET_IS_VISIBLE =
  'A secret key is accepted only in the `x-api-key` header. If it was sent by a page, delete it and create a new one.';
const NO_TOKENS = 'Access tokens cannot do this: sign in and use the session cookie.';

const roleRequired = (role: string) =>
  new ApiError('role_required', {
    message: `This needs the role ${role} in this property, or a higher one.`,
  });

const isWrite = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD';

function hasAccountCredential(request: HotRequest): boolean {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined && bearerToken(request)?.startsWith(TOKEN_PREFIX)) return true;
  return cookie !== undefined && readCookie(request, SESSION_COOKIE) !== undefined;
}

/** The scheme is case-insensitive. */
function bearerToken({ headers }: Pick<HotRequest, 'headers'>): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
