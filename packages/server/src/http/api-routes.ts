import type {
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import { invalidField } from '../errors.ts';
import { describeRoute, type RouteDescription } from './api-description.ts';
import type { Authentication } from './authentication.ts';
import { registerPreflight } from './cors.ts';
import { createRequestValidation } from './validation.ts';

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
  readonly #validator = createRequestValidation();

  constructor(app: FastifyInstance, auth: Authentication) {
    this.#app = app;
    this.#auth = auth;
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
  ): void {
    const { doubledSlash, bodyOptional, errorHandler, exposeHeadRoute, ...description } = declaration;
    const validate = onFirstUse(() => this.#validator(description));
    const schema = describeRoute(description);
    const refusesDryRun = method !== 'GET' && description.access !== undefined && !hasDryRun(description);
    const onRequest =
      description.key === undefined
        ? this.#auth.requireAccess(description)
        : this.#auth.requireKey(description);
    for (const path of doubledSlash ? [url, `/${url}`] : [url]) {
      if (description.key === 'public') registerPreflight(this.#app, path, method);
      this.#app.route<T>({
        method,
        url: path,
        schema: path === url ? schema : { ...schema, hide: true },
        onRequest,
        config: { emptyBody: needsNoBody(declaration) },
        // Not in a hook of its own, which would cost as much as the validation itself.
        handler(request, reply) {
          if (bodyOptional) request.body ??= {} as never;
          if (refusesDryRun) refuseDryRun(request);
          validate(request);
          return handler.call(this, request, reply);
        },
        ...(errorHandler && { errorHandler }),
        ...(exposeHeadRoute === false && { exposeHeadRoute }),
      });
    }
  }
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
function refuseDryRun({ query }: Pick<FastifyRequest, 'query'>): void {
  const { dryRun } = query as { dryRun?: unknown };
  if (dryRun === undefined || dryRun === 'false') return;
  throw invalidField('/dryRun', 'is not possible for this request; nothing was changed');
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
