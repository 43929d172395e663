import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { beforeRequests } from '../limits/before-requests.ts';

/** Requests wait no longer than this, however many connections arrive. */
const MAX_WAIT_MS = 10;

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  next: RequestListener;
}

/**
 * Accepts all new connections before it serves requests. Node.js accepts one connection per turn of its event loop,
 * and under load a turn serves a request of every open connection: the last of a hundred new clients would wait for a
 * hundred such turns. While connections arrive, turns only read requests; they are served as soon as a turn accepted
 * none. Without it, the last of 64 new clients waits seven times as long (`node bench/connections.js`).
 */
export function acceptFirst({ server }: FastifyInstance): void {
  let waiting: Waiting[] = [];
  let isAccepting = false;
  let accepted = false;
  let startedAt = 0;

  const afterTurn = () => {
    if (accepted && performance.now() - startedAt < MAX_WAIT_MS) {
      accepted = false;
      setImmediate(afterTurn);
      return;
    }
    isAccepting = false;
    const requests = waiting;
    waiting = [];
    for (const { request, response, next } of requests) next(request, response);
  };

  server.on('connection', () => {
    accepted = true;
    if (isAccepting) return;
    isAccepting = true;
    startedAt = performance.now();
    setImmediate(afterTurn);
  });
  beforeRequests(server, (request, response, next) => {
    if (isAccepting) waiting.push({ request, response, next });
    else next(request, response);
  });
}
