import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const CHECK_MS = 50;
/** What has begun may take this long to end; a client that dribbles does not keep us. */
const GRACE_MS = 5000;

/** While the server closes: answers what has begun, and lets go of every connection on which nothing has. */
export function drainConnections(app: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  app.addHook('preClose', (done) => {
    const deadline = performance.now() + GRACE_MS;
    const timer = setInterval(() => {
      letGo(app, sockets, performance.now() > deadline);
      if (sockets.size === 0 && !app.server.listening) clearInterval(timer);
    }, CHECK_MS).unref();
    done();
  });
}

function letGo({ server }: FastifyInstance, sockets: ReadonlySet<Socket>, all: boolean): void {
  if (all) {
    server.closeAllConnections();
    return;
  }
  server.closeIdleConnections();
  // Node counts a connection that was opened in advance as busy.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
}
