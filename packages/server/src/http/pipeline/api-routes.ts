import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import { invalidField } from '../../platform/errors/errors.ts';
import type { Authentication, CheckKey } from '../access/authentication.ts';
import { registerPreflight } from '../access/cors.ts';
import { describeRoute, type KeyAccess, type RouteDescription } from '../contract/api-description.ts';
import type { HotHandler } from '../contract/hot-route.ts';
import { createRequestValidation } from '../contract/validation.ts';
import { passOnFailure } from './exchange.ts';
import type { FastLane } from './fast-lane.ts';
import { JSON_TYPES, PAGE_TYPES } from './json-body.ts';

type Handler<T extends RouteGenericInterface> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  T
>;

export type RouteDeclaration = RouteDescription & RegistrationOptions;

interface RegistrationOptions {
  /** Also serves `//path`, which clients request if their base URL ends with a slash. */
  doubledSlash?: true;
  /** Treats a missing body as `{}`. */
  bodyOptional?: true;
  /** Ignores unknown query parameters: for the endpoints of the specification, and those that others define or call. */
  anyQuery?: true;
  /** For routes with their own error format. */
  errorHandler?: RouteOptions['errorHandler'];
  /** False for streams: a HEAD request would never end. */
  exposeHeadRoute?: false;
}

/**
 * Registers the endpoints of the API. Each declaration defines the required key, or who has access, the request
 * schemas and the responses: the caller is checked first, then params, query, headers and body are validated, then
 * the handler runs.
 * The OpenAPI document is generated from the same declarations.
 */
export class ApiRoutes {
  readonly #app: FastifyInstance;
  readonly #auth: Authentication;
  readonly #fastLane: FastLane;
  readonly #validator = createRequestValidation();

  constructor(app: FastifyInstance, auth: Authentication, fastLane: FastLane) {
    this.#app = app;
    this.#auth = auth;
    this.#fastLane = fastLane;
  }

  /** A route with a fixed path that is called so often that its plain requests skip Fastify. */
  hot<T extends RouteGenericInterface>(
    method: 'GET' | 'POST',
    url: string,
    declaration: RouteDeclaration & KeyAccess,
    handler: HotHandler<T>,
  ): void {
    const authorize = this.#auth.requireKey(declaration);
    const serve = this.#declare<T>(
      method,
      url,
      declaration,
      handler as Handler<T>,
      passOnFailure(hookOf(authorize)),
    );
    const mediaTypes = declaration.key === 'public' ? PAGE_TYPES : JSON_TYPES;
    this.#fastLane.add({ method, path: url, mediaTypes, authorize, serve });
  }

  get<T extends RouteGenericInterface>(
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    this.#declare('GET', url, declaration, handler);
  }

  post<T extends RouteGenericInterface>(
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    this.#declare('POST', url, declaration, handler);
  }

  put<T extends RouteGenericInterface>(
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    this.#declare('PUT', url, declaration, handler);
  }

  patch<T extends RouteGenericInterface>(
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    this.#declare('PATCH', url, declaration, handler);
  }

  delete<T extends RouteGenericInterface>(
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    this.#declare('DELETE', url, declaration, handler);
  }

  #declare<T extends RouteGenericInterface>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
    onRequest = this.#hookOf(declaration),
  ): HotHandler<T> {
    const { doubledSlash, bodyOptional, anyQuery, errorHandler, exposeHeadRoute, ...description } =
      declaration;
    const validate = onFirstUse(() => this.#validator(anyQuery ? description : withKnownQuery(description)));
    const refusesDryRun = method !== 'GET' && description.access !== undefined && !hasDryRun(description);
    const auth = this.#auth;
    // Not in hooks of their own, each of which would cost as much as the validation itself.
    const serve = function (this: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
      if (request.awaitsKey) {
        const checking = auth.useBodyKey(request, reply);
        if (checking !== undefined) return checking.then(() => serve.call(this, request, reply));
      }
      if (bodyOptional) request.body ??= {};
      if (refusesDryRun) refuseDryRun(request);
      validate(request);
      return (handler as Handler<RouteGenericInterface>).call(this as FastifyInstance, request, reply);
    };
    const schema = describeRoute(description);
    for (const path of doubledSlash ? [url, `/${url}`] : [url]) {
      if (description.key === 'public') registerPreflight(this.#app, path, method);
      this.#app.route<T>({
        method,
        url: path,
        schema: path === url ? schema : { ...schema, hide: true },
        onRequest,
        config: { emptyBody: needsNoBody(declaration), plainText: description.key === 'public' },
        handler: serve as Handler<T>,
        ...(errorHandler && { errorHandler }),
        ...(exposeHeadRoute === false && { exposeHeadRoute }),
      });
    }
    return serve as HotHandler<T>;
  }

  #hookOf(description: RouteDescription): onRequestHookHandler {
    return description.key === undefined
      ? this.#auth.requireAccess(description)
      : hookOf(this.#auth.requireKey(description));
  }
}

/** A single hook: each additional hook costs about as much as its own work. */
function hookOf(check: CheckKey): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      const checking = check(request, reply);
      if (checking === undefined) done();
      else checking.then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Only in the management API: OFREP defines an empty JSON body as an error. */
function needsNoBody({ access, body, bodyOptional }: RouteDeclaration): boolean {
  return access !== undefined && (bodyOptional === true || body === undefined);
}

function hasDryRun({ querystring }: RouteDescription): boolean {
  const { properties = {} } = (querystring ?? {}) as { properties?: object };
  return 'dryRun' in properties;
}

/** A caller who only wants to try must not change anything by mistake. */
function refuseDryRun({ query }: { query: unknown }): void {
  const { dryRun } = query as { dryRun?: unknown };
  if (dryRun === undefined) return;
  throw invalidField('/dryRun', 'is not possible for this request; nothing was changed');
}

/** An unknown parameter may be a filter with a typo: ignored, it would return the data of others. */
function withKnownQuery(description: RouteDescription): RouteDescription {
  const querystring = {
    type: 'object',
    ...description.querystring,
    additionalProperties: false,
    'x-member': 'parameter',
  };
  return { ...description, querystring };
}

type Validate = ReturnType<ReturnType<typeof createRequestValidation>>;

/** Compiling the schemas of all routes would delay every start. */
function onFirstUse(compile: () => Validate): Validate {
  let validate: Validate | undefined;
  return (request) => {
    validate ??= compile();
    validate(request);
  };
}
