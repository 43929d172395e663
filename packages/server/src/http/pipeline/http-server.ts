import { parse as parseQuery } from 'fast-querystring';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Config } from '../../platform/settings/config.ts';
import { trustsProxy } from '../access/client-address.ts';
import { sendProblem } from '../contract/problem.ts';
import { matchesPattern } from '../contract/route-pattern.ts';
import { type ConnectionLimits, connectionLimits, limitConnections } from '../limits/connection-limits.ts';
import { OpenConnections } from '../limits/open-connections.ts';
import { limitUnsentOutput, UnsentOutput } from '../limits/unsent-output.ts';
import { refuseBrokenRequest } from './broken-request.ts';
import { drainConnections } from './draining.ts';
import { FastLane } from './fast-lane.ts';
import { hasSeveralHosts } from './has-several-hosts.ts';
import { IncomingRequest } from './incoming-request.ts';
import { jsonBodyParser, parseJsonBodies } from './json-body.ts';
import { usePlainWrites } from './plain-writes.ts';
import { newRequestId } from './request-id.ts';
import { RequestLog } from './request-log.ts';
import { ResponseQueue } from './response-queue.ts';
import { addShutdownNotice, type ShutdownNotice } from './shutdown-notice.ts';
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

/**
 * A Fastify instance with request ids, limits, timeouts, body parsing and error responses, but without routes; and a
 * fast lane, which the caller opens after the routes were added.
 */
export function createHttpServer(
  config: Pick<Config, 'trustProxy' | 'workers'>,
  logger: Logger,
  limits: ConnectionLimits = connectionLimits(config.workers),
): { app: FastifyInstance; fastLane: FastLane } {
  const trusts = trustsProxy(config.trustProxy);
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      IncomingMessage: IncomingRequest,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: trusts ?? false,
    genReqId: (request) => (request as IncomingRequest).id,
    // Longer than any percent-encoded id; the schema checks the actual limit.
    routerOptions: { maxParamLength: 8192, querystringParser: parseQuery },
    schemaController: { compilersFactory: OWN_COMPILERS },
    frameworkErrors: (error, request, reply) =>
      void sendProblem(error, request as FastifyRequest, reply as never),
    clientErrorHandler: (error, socket) =>
      refuseBrokenRequest(error, socket, newRequestId(), limits.lingerMs),
  });
  // Not the logger of Fastify, which creates a child logger and two listeners per request.
  app.decorate('logger', logger);
  app.decorateRequest('apiKey');
  app.decorateRequest('awaitsKey', false);
  app.decorateRequest('caller');
  app.decorateRequest('managed');
  const connections = new OpenConnections(app, trusts);
  limitConnections(app, connections, limits);
  usePlainWrites(app);
  const output = new UnsentOutput(limits.maxUnsentBytes);
  limitUnsentOutput(app, output);
  const shutdownNotice = addShutdownNotice(app);
  addRequestHook(app, shutdownNotice);
  drainConnections(app, connections);
  const requestLog = logger.isLevelEnabled('debug') ? new RequestLog(logger) : undefined;
  requestLog?.observe(app);
  const parseBody = jsonBodyParser(app);
  parseJsonBodies(app, parseBody);
  handleUnknownRoutes(app);
  app.setErrorHandler(sendProblem);
  const services = { trusts, output, queue: new ResponseQueue(), parseBody, shutdownNotice, requestLog };
  return { app, fastLane: new FastLane(services) };
}

/** A single hook for every request: each additional hook costs about as much as its own work. */
function addRequestHook(app: FastifyInstance, shutdownNotice: ShutdownNotice): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Otherwise a busy client would keep its connection open and block the shutdown.
    if (shutdownNotice.isAnnounced) reply.header('connection', 'close');
    if (hasSeveralHosts(request.raw.rawHeaders)) {
      done(new ApiError('invalid_request', { message: 'There is more than one Host header.' }));
      return;
    }
    waitForTurn(request, reply, done);
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
