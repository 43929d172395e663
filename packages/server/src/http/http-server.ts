import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { refuseBrokenRequest } from './broken-request.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  limitConnections,
  openSockets,
} from './connection-limits.ts';
import { drainConnections } from './draining.ts';
import { parseJsonBodies } from './json-body.ts';
import { sendProblem } from './problem.ts';
import { matchesPattern } from './route-pattern.ts';
import { limitUnsentOutput } from './unsent-output.ts';
import { waitForTurn } from './wait-for-turn.ts';

const BODY_LIMIT = 1024 * 1024;

/** A Fastify instance with our manners: ids, limits, timeouts, validation and error answers, but no routes yet. */
export function createHttpServer(
  config: Pick<Config, 'trustProxy'>,
  logger: Logger,
  limits: ConnectionLimits = CONNECTION_LIMITS,
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
    trustProxy: trusted(config.trustProxy),
    genReqId: requestId,
    // Longer than any id may be, percent-encoded; the schema has the last word.
    routerOptions: { maxParamLength: 8192 },
    frameworkErrors: (error, request, reply) =>
      void sendProblem(error, request as FastifyRequest, reply as never),
    clientErrorHandler: (error, socket) =>
      refuseBrokenRequest(error, socket, newRequestId(), limits.lingerMs),
  });
  // Not Fastify's own logger: it would make a child logger and two listeners for every request.
  app.decorate('logger', logger);
  app.decorateRequest('apiKey');
  const sockets = openSockets(app);
  limitConnections(app, sockets, limits);
  limitUnsentOutput(app, limits.maxUnsentBytes);
  welcomeRequests(app);
  drainConnections(app, sockets);
  if (logger.isLevelEnabled('debug')) logRequests(app);
  parseJsonBodies(app);
  // Answers on hot paths are ready-made text; compiling a serializer per status of each route only slows the start.
  app.setSerializerCompiler(() => JSON.stringify);
  answerUnknownAddresses(app);
  app.setErrorHandler(sendProblem);
  return app;
}

/** A number of proxies means: trust that many hops, counted from us. */
function trusted(
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

/** The caller's own id when it is harmless, so that traces join; else one of ours. */
function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId();
}

/** What every request begins with. */
function welcomeRequests(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Without this a busy client would keep its connection, and us, alive for ever.
    if (closing) reply.header('connection', 'close');
    // In the same hook: each one costs about as much as what happens in it.
    waitForTurn(request, reply, done);
  });
}

/** One line per request at level debug, never with a key or a body. */
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

/** 405 with the methods that the address does answer, 404 where it answers none. */
function answerUnknownAddresses(app: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPattern.set(url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    // Once, because a caller can send thousands of slashes.
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
