import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** More than any client sends ahead; without a bound a client that does not read could have us collect requests. */
const MAX_WAITING = 100;

/**
 * Handles the requests of one connection one after the other: the next one waits until the response before it has
 * left for the client, so that at most one response per connection takes up memory.
 */
export function answerInTurn(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    // Node.js gives a response its socket when its turn has come.
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MAX_WAITING) return void socket.destroy();
    waiting.set(socket, count);
    reply.raw.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      setImmediate(done);
    });
  });
}
