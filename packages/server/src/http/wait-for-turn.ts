import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** More than any client sends ahead; without a bound a client that does not read could have us collect requests. */
const MAX_WAITING = 100;

const WAITING = Symbol('waiting');

interface Connection {
  [WAITING]?: number;
  destroy(): void;
}

/**
 * Requests that a client sends ahead on one connection are handled one after the other: each waits until the response
 * before it has left for the client, so that at most one response per connection takes up memory.
 */
export function waitForTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  // Node.js gives a response its socket when its turn has come.
  if (reply.raw.socket !== null) {
    done();
    return;
  }
  const connection: Connection = request.raw.socket;
  const waiting = (connection[WAITING] ?? 0) + 1;
  if (waiting > MAX_WAITING) {
    connection.destroy();
    return;
  }
  connection[WAITING] = waiting;
  reply.raw.once('socket', () => {
    connection[WAITING]! -= 1;
    setImmediate(done);
  });
}
