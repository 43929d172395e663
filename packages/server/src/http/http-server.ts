import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { refuseBrokenRequest } from './broken-request.ts';
import {
  type ConnectionLimits,
  connectionLimits,
  limitConnections,
  openSockets,
} from './connection-limits.ts';
import { drainConnections } from './draining.ts';
import { parseJsonBodies } from './json-body.ts';
import { usePlainWrites } from './plain-writes.ts';
import { sendProblem } from './problem.ts';
import { matchesPattern } from './route-pattern.ts';
import { limitUnsentOutput } from './unsent-output.ts';
import { waitForTurn } from './wait-for-turn.ts';

const BODY_LIMIT = 1024 * 1024;

/**
 * Instead of those of Fastify, which it would load at every start. Its validation stops at the first invalid part of a
 * request; ours (`api-routes.ts`) reports every invalid field. Hot paths send prepared text, so a compiled serializer
 * for each route and status would only slow down the start.
 */
const OWN_COMPILERS = {
  buildValidator: () => () => undefined as never,
  buildSerializer: () => () => JSON.stringify,
};

/** A Fastify instance with request ids, limits, timeouts, body parsing and error responses, but without routes. */
export function createHttpServer(
  config: Pick<Config, 'trustProxy' | 'workers'>,
  logger: Logger,
  limits: ConnectionLimits = connectionLimits(config.workers),
): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: trustProxyOption(config.trustProxy),
    genReqId: requestId,
    // Longer than any percent-encoded id; the schema checks the actual limit.
    routerOptions: { maxParamLength: 8192 },
    schemaController: { compilersFactory: OWN_COMPILERS },
    frameworkErrors: (error, request, reply) =>
      void sendProblem(error, request as FastifyRequest, reply as never),
    clientErrorHandler: (error, socket) =>
      refuseBrokenRequest(error, socket, newRequestId(), limits.lingerMs),
  });
  // Not the logger of Fastify, which creates a child logger and two listeners per request.
  app.decorate('logger', logger);
  app.decorateRequest('apiKey');
  app.decorateRequest('caller');
  app.decorateRequest('managed');
  const sockets = openSockets(app);
  limitConnections(app, sockets, limits);
  usePlainWrites(app);
  limitUnsentOutput(app, limits.maxUnsentBytes);
  addRequestHook(app);
  drainConnections(app, sockets);
  if (logger.isLevelEnabled('debug')) logRequests(app);
  parseJsonBodies(app);
  handleUnknownRoutes(app);
  app.setErrorHandler(sendProblem);
  return app;
}

/** A number means: trust that many proxies, counted from this server. */
function trustProxyOption(
  setting: Config['trustProxy'],
): boolean | string | ((address: string, hop: number) => boolean) {
  return typeof setting === 'number' ? (_address, hop) => hop < setting : setting;
}

const requestIdPrefix = `${randomBytes(6).toString('base64url')}-`;
let requestCount = 0;

function newRequestId(): string {
  requestCount += 1;
  return requestIdPrefix + requestCount.toString(36);
}

/** The id sent by the client if it is safe to log, so that traces can be joined; otherwise a new id. */
function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId();
}

/** A single hook for every request: each additional hook costs about as much as its own work. */
function addRequestHook(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Otherwise a busy client would keep its connection open and block the shutdown.
    if (closing) reply.header('connection', 'close');
    waitForTurn(request, reply, done);
  });
}

/** Logs one line per request, without keys or bodies. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    app.logger.debug(
      {
        reqId: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}

/** 405 if the path supports other methods, otherwise 404. */
function handleUnknownRoutes(app: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPattern.set(url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    // Split once for all patterns: a path can have thousands of slashes.
    const path = request.url.split('?', 1)[0]!.split('/');
    const allowed = [...methodsByPattern].flatMap(([pattern, methods]) =>
      matchesPattern(pattern, path) ? [...methods] : [],
    );
    if (allowed.length > 0) {
      const allow = [...new Set(allowed)].sort().join(', ');
      return sendProblem(new ApiError('method_not_allowed', { headers: { allow } }), request, reply);
    }
    return sendProblem(new ApiError('not_found'), request, reply);
  });
}
