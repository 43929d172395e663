import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import { describeRoute, type RouteDescription } from './api-description.ts';
import type { Authentication } from './authentication.ts';
import { answerPreflight } from './cors.ts';
import { createRequestValidation } from './validation.ts';

type Handler<T extends RouteGenericInterface> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  T
>;

export interface RouteDeclaration extends RouteDescription {
  /** Also answers `//path`, which clients make of a base URL that ends with a slash. */
  doubledSlash?: true;
  /** A request without a body is taken as one with `{}`. */
  bodyOptional?: true;
  /** For errors in a shape of their own. */
  errorHandler?: RouteOptions['errorHandler'];
  /** False where a HEAD request would wait for an end that never comes. */
  exposeHeadRoute?: false;
}

/**
 * The endpoints of the API. One declaration per endpoint says which key it asks for, what a request must look like and
 * what it answers: the key is checked first, then params, query, headers and body are validated against their schemas,
 * and only then the handler is called. The OpenAPI document is made from the same declaration.
 */
export class ApiRoutes {
  readonly #app: FastifyInstance;
  readonly #auth: Authentication;
  readonly #validator = createRequestValidation();

  constructor(app: FastifyInstance, auth: Authentication) {
    this.#app = app;
    this.#auth = auth;
    // The framework would stop at the first part that is wrong; ours name every wrong field.
    app.setValidatorCompiler(() => undefined as never);
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

  #declare<T extends RouteGenericInterface>(
    method: 'GET' | 'POST',
    url: string,
    declaration: RouteDeclaration,
    handler: Handler<T>,
  ): void {
    const { doubledSlash, bodyOptional, errorHandler, exposeHeadRoute, ...description } = declaration;
    const validate = this.#validator(description);
    const schema = describeRoute(description);
    for (const path of doubledSlash ? [url, `/${url}`] : [url]) {
      if (description.key === 'public') answerPreflight(this.#app, path, method);
      this.#app.route<T>({
        method,
        url: path,
        schema: path === url ? schema : { ...schema, hide: true },
        onRequest: this.#auth.requireKey(description),
        // Not a hook before the handler: each stage of hooks costs as much as the check itself.
        handler(request, reply) {
          if (bodyOptional) request.body ??= {} as never;
          validate(request);
          return handler.call(this, request, reply);
        },
        ...(errorHandler && { errorHandler }),
        ...(exposeHeadRoute === false && { exposeHeadRoute }),
      });
    }
  }
}
