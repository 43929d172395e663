import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { plainResponse } from './api-description.ts';
import type { Metrics } from './metrics.ts';
import { metricsAccess } from './metrics-access.ts';

const operation = (summary: string, responses: Record<number, object>) => ({
  schema: { tags: ['Operation'], summary, response: responses },
});

const status = (text: string, description: string) => ({
  title: 'Status',
  description,
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['ok', 'ready', 'not ready'] } },
  examples: [{ status: text }],
});

const refusal = (code: ErrorCode) => ({
  description: `\`${code}\`: ${ERRORS[code].message}`,
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
});

interface Dependencies {
  metrics: Metrics;
  isReady: () => Promise<boolean>;
  config: Pick<Config, 'metricsToken'>;
}

/** Routes for operators and monitoring, without an API key. */
export function registerOperationRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { isReady } = dependencies;
  app.get('/healthz', operation('Liveness check', { 200: status('ok', 'The process is running') }), () => ({
    status: 'ok',
  }));
  app.get(
    '/readyz',
    operation('Readiness check', {
      200: status('ready', 'The storage is available'),
      503: status('not ready', 'The storage is not available; do not route traffic to this server'),
    }),
    async (_request, reply) => {
      const ready = await isReady();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
    },
  );
  registerMetrics(app, dependencies);
}

function registerMetrics(app: FastifyInstance, { metrics, config }: Dependencies): void {
  const checkAccess = metricsAccess(config.metricsToken);
  app.get(
    '/metrics',
    operation('Prometheus metrics', {
      200: plainResponse('Metrics in the Prometheus text format', 'text/plain'),
      401: refusal('metrics_token_required'),
      403: refusal('metrics_local_only'),
    }),
    async (request, reply) => {
      checkAccess(request);
      return reply.type(metrics.contentType).send(await metrics.text());
    },
  );
}
