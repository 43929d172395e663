import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    shutdownNotice: ShutdownNotice;
  }
}

/**
 * Once given, `/readyz` returns 503 and every response closes its connection, so that load balancers and clients with
 * open connections go elsewhere before the server stops listening.
 */
export class ShutdownNotice {
  #isGiven = false;

  get isGiven(): boolean {
    return this.#isGiven;
  }

  give(): void {
    this.#isGiven = true;
  }
}

export function addShutdownNotice(app: FastifyInstance): ShutdownNotice {
  const notice = new ShutdownNotice();
  app.decorate('shutdownNotice', notice);
  app.addHook('preClose', (done) => {
    notice.give();
    done();
  });
  return notice;
}
