import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** More than any real client pipelines; without a limit, a client that does not read could fill the memory with requests. */
const MAX_WAITING = 100;

const WAITING = Symbol('waiting');

interface Connection {
  [WAITING]?: number;
  destroy(): void;
}

/**
 * Handles pipelined requests one after the other: each waits until the previous response has been sent, so that at
 * most one response per connection takes up memory.
 */
export function waitForTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  // Node.js assigns the socket to a response when the previous response is finished.
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
