import type { FastifyInstance } from 'fastify';
import { plainResponse, UNLISTED } from './api-description.ts';
import type { Metrics } from './metrics.ts';
import { homePage } from './page.ts';

const operation = (summary: string, responses: Record<number, object>) => ({
  schema: { tags: ['Operation'], summary, response: responses },
});

const status = (text: string, description: string) => ({
  description,
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: [text] } },
  examples: [{ status: text }],
});

/** What operators and their tools ask for; no key needed. */
export function registerOperationRoutes(
  app: FastifyInstance,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
  sdkPath: string,
  publicUrl: string | undefined,
): void {
  app.get('/healthz', operation('Whether the process lives', { 200: status('ok', 'It does') }), () => ({
    status: 'ok',
  }));
  app.get(
    '/readyz',
    operation('Whether storage answers', {
      200: status('ready', 'It does'),
      503: status('not ready', 'It does not: send no traffic here'),
    }),
    async (_request, reply) => {
      const ready = await isReady();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
    },
  );
  app.get(
    '/metrics',
    operation('Metrics for Prometheus', {
      200: plainResponse('The text format of Prometheus', 'text/plain'),
    }),
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get('/', UNLISTED, ({ protocol, host }, reply) =>
    reply.type('text/html').send(homePage(sdkPath, publicUrl ?? `${protocol}://${host}`)),
  );
}
