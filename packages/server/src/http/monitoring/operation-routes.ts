import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { ERRORS, type ErrorCode } from '../../platform/errors/errors.ts';
import type { Config } from '../../platform/settings/config.ts';
import { plainResponse } from '../contract/api-description.ts';
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

const readinessStatus = (text: string, description: string) => {
  const { properties, ...rest } = status(text, description);
  const unavailable = {
    type: 'array',
    items: { type: 'string', enum: ['database', 'events', 'journal'] },
    description:
      'What cannot be used: the configuration database, the event store, or the journal, which is full',
  };
  const example = { status: text, unavailable: text === 'ready' ? [] : ['events'] };
  return { ...rest, title: 'Readiness', properties: { ...properties, unavailable }, examples: [example] };
};

const refusal = (code: ErrorCode) => ({
  description: `\`${code}\`: ${ERRORS[code].message}`,
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
});

interface Dependencies {
  metrics: () => Promise<string>;
  readiness: () => Promise<{ ready: boolean; unavailable: readonly string[] }>;
  config: Pick<Config, 'metricsToken'>;
}

/** Routes for operators and monitoring, without an API key. */
export function registerOperationRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { readiness } = dependencies;
  app.get('/healthz', operation('Liveness check', { 200: status('ok', 'The process is running') }), () => ({
    status: 'ok',
  }));
  app.get(
    '/readyz',
    operation('Readiness check', {
      200: readinessStatus('ready', 'The server accepts events and has its configuration'),
      503: readinessStatus(
        'not ready',
        'The storage is not available or full; do not route traffic to this server',
      ),
    }),
    async (_request, reply) => {
      const { ready, unavailable } = await readiness();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', unavailable });
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
      return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await metrics());
    },
  );
}
