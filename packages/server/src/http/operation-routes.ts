import type { FastifyInstance } from 'fastify';
import { UNLISTED } from './api-description.ts';
import type { Metrics } from './metrics.ts';
import { HOME_PAGE } from './page.ts';

/** What operators and their tools ask for; no key needed. */
export function registerOperationRoutes(
  app: FastifyInstance,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
): void {
  app.get('/healthz', UNLISTED, () => ({ status: 'ok' }));
  app.get('/readyz', UNLISTED, async (_request, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  app.get('/metrics', UNLISTED, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  app.get('/', UNLISTED, (_request, reply) => reply.type('text/html').send(HOME_PAGE));
}
