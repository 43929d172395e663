import type { FastifyInstance } from 'fastify';
import type { OpenConnections } from '../limits/open-connections.ts';

const CHECK_INTERVAL_MS = 50;
/** Requests in progress have this long to finish, so that a slow client cannot block the shutdown. */
const GRACE_PERIOD_MS = 5000;

/** During shutdown: finishes requests in progress and closes idle connections. */
export function drainConnections(app: FastifyInstance, connections: OpenConnections): void {
  app.addHook('preClose', (done) => {
    const deadline = performance.now() + GRACE_PERIOD_MS;
    const timer = setInterval(() => {
      closeConnections(app, connections, performance.now() > deadline);
      if (connections.size === 0 && !app.server.listening) clearInterval(timer);
    }, CHECK_INTERVAL_MS).unref();
    done();
  });
}

function closeConnections({ server }: FastifyInstance, connections: OpenConnections, all: boolean): void {
  if (all) {
    server.closeAllConnections();
    return;
  }
  server.closeIdleConnections();
  // Node.js treats a connection that has not sent anything yet as busy.
  for (const { socket } of connections) if (socket.bytesRead === 0) socket.destroy();
}
