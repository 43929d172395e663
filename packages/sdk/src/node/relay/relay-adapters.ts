import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_EVENT_BYTES, type RelayHandler } from './relay-handler.ts';
import { pathOf } from './relay-path.ts';
import { bodyTooLarge, problemResponse, RelayProblem } from './relay-problem.ts';
import {
  type FastifyRequestLike,
  fromFastifyRequest,
  fromFetchRequest,
  fromNodeRequest,
} from './relay-request.ts';
import type { RelayResponse } from './relay-response.ts';

const notFound = () => problemResponse(new RelayProblem('not_found'));

/** For `node:http`, Express and other frameworks with the same handlers. */
export function connectAdapter(handle: RelayHandler) {
  return (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void => {
    void handle(fromNodeRequest(request)).then((result) => {
      if (!result && typeof next === 'function') next();
      else send(result ?? notFound(), response);
    });
  };
}

function send({ status, headers, body }: RelayResponse, response: ServerResponse): void {
  // Another handler may have responded, or the client may be gone.
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers).end(body);
}

export function fetchAdapter(handle: RelayHandler) {
  return async (request: Request): Promise<Response> => {
    const { status, headers, body } = (await handle(fromFetchRequest(request))) ?? notFound();
    return new Response(status === 304 ? null : body, { status, headers });
  };
}

interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(headers: Record<string, string>): FastifyReplyLike;
  send(body: unknown): unknown;
}

interface FastifyLike {
  prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  setErrorHandler(
    handler: (error: { code?: string }, request: unknown, reply: FastifyReplyLike) => unknown,
  ): unknown;
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => unknown): unknown;
}

/** Parsers and error handler belong to the plugin; the rest of the app keeps its own. */
export function fastifyAdapter(handle: RelayHandler, path: string | undefined) {
  const reply = ({ status, headers, body }: RelayResponse, to: FastifyReplyLike) =>
    to
      .code(status)
      .headers(headers)
      .send(typeof body === 'string' ? body : Buffer.from(body));

  return async function switchyardRelay(app: object): Promise<void> {
    const fastify = app as FastifyLike;
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_EVENT_BYTES },
      (_request, body, done) => done(null, body),
    );
    fastify.setErrorHandler((error, _request, to) => {
      // Errors of the app's own hooks are for the app's error handler.
      if (!error?.code?.startsWith?.('FST_ERR_CTP_')) throw error;
      const problem =
        error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
          ? bodyTooLarge(MAX_EVENT_BYTES)
          : new RelayProblem('invalid_request', { message: 'The request could not be read.' });
      return reply(problemResponse(problem), to);
    });
    // At the root, it takes only the requests below its path.
    const pattern = fastify.prefix.replaceAll('/', '') === '' ? `${pathOf(path)}/*` : '/*';
    fastify.all(pattern, async (request, to) =>
      reply((await handle(fromFastifyRequest(request, fastify.prefix))) ?? notFound(), to),
    );
  };
}
