import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { plainResponse, UNLISTED } from './api-description.ts';
import type { Metrics } from './metrics.ts';
import { metricsAccess } from './metrics-access.ts';
import { homePage } from './page.ts';

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
  /** Where the browser SDK may be cached for ever. */
  sdkPath: string;
  config: Pick<Config, 'publicUrl' | 'metricsToken'>;
}

/** What operators and their tools ask for; no key needed. */
export function registerOperationRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { isReady, sdkPath } = dependencies;
  const { publicUrl } = dependencies.config;
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
  registerMetrics(app, dependencies);
  app.get('/', UNLISTED, ({ protocol, host }, reply) =>
    reply.type('text/html').send(homePage(sdkPath, publicUrl ?? `${protocol}://${host}`)),
  );
}

function registerMetrics(app: FastifyInstance, { metrics, config }: Dependencies): void {
  const checkAccess = metricsAccess(config.metricsToken);
  app.get(
    '/metrics',
    operation('Metrics for Prometheus', {
      200: plainResponse('The text format of Prometheus', 'text/plain'),
      401: refusal('metrics_token_required'),
      403: refusal('metrics_local_only'),
    }),
    async (request, reply) => {
      checkAccess(request);
      return reply.type(metrics.contentType).send(await metrics.text());
    },
  );
}
