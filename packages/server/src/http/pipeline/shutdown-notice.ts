import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    shutdownNotice: ShutdownNotice;
  }
}

/**
 * Once announced, `/readyz` returns 503 and every response closes its connection, so that load balancers and clients with
 * open connections go elsewhere before the server stops listening.
 */
export class ShutdownNotice {
  #isAnnounced = false;

  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  announce(): void {
    this.#isAnnounced = true;
  }
}

export function addShutdownNotice(app: FastifyInstance): ShutdownNotice {
  const notice = new ShutdownNotice();
  app.decorate('shutdownNotice', notice);
  app.addHook('preClose', (done) => {
    notice.announce();
    done();
  });
  return notice;
}
