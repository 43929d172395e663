import { randomUUID } from 'node:crypto';
import { MAX_METRICS, MetricPreview, MetricPreviewQuery } from '@switchyard/core/api/metrics';
import { isObject } from '@switchyard/core/merge/json-value';
import type {
  Metric,
  PropertyConfiguration,
} from '../../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../../http/access/authentication.ts';
import type { ApiRoutes } from '../../../http/pipeline/api-routes.ts';
import { disconnection } from '../../../http/pipeline/disconnection.ts';
import { ApiError, EVENT_QUERY_ERRORS, invalidField } from '../../../platform/errors/errors.ts';
import { sendReport } from '../report-routes.ts';
import type { ReportRunner } from '../report-runner.ts';
import { plannedMetric } from './planned-outcome.ts';

interface Services {
  auth: Authentication;
  reports: Pick<ReportRunner, 'run'>;
  /** The property as it would be with an item that is not saved. */
  withUnsavedItem: (
    current: PropertyConfiguration,
    item: { type: 'metric'; key: string; definition: object },
  ) => Promise<PropertyConfiguration>;
}

/** What a metric would say, before it is used. */
export function registerMetricPreviewRoutes(api: ApiRoutes, services: Services): void {
  const { auth, reports } = services;
  api.get<{ Querystring: MetricPreviewQuery }>(
    '/v1/metrics/preview',
    {
      tag: 'Split testing',
      summary: 'The value of a metric in the last 30 days, and what a test would find with it',
      description:
        'Of all visitors of the property with a session in these days, whether they were in a test or not; the time of a visitor starts with the first of these sessions. For a saved metric, or for a definition that is not saved. Closing the connection cancels it.',
      key: 'secret',
      members: true,
      querystring: MetricPreviewQuery,
      responses: { 200: { ...MetricPreview, description: 'The metric in the last days' } },
      errors: ['wrong_property', 'not_found', 'overloaded', ...EVENT_QUERY_ERRORS],
    },
    async (request, reply) => {
      const { propertyId, metric: id, definition } = request.query;
      if ((id === undefined) === (definition === undefined)) {
        throw invalidField('/metric', 'or definition is needed, and not both');
      }
      const given = definition === undefined ? undefined : parsed(definition);
      const property = auth.property(request, propertyId);
      const metric =
        given === undefined ? savedMetric(property, id) : await unsavedMetric(property, given, services);
      const { statistics, displayCurrency } = property;
      const preview = {
        type: 'metric-preview',
        property: { id: property.id, statistics, displayCurrency },
        metric: { isSaved: given === undefined, outcome: plannedMetric(metric, property) },
      } as const;
      return sendReport(reply, reports.run(preview, disconnection(reply)));
    },
  );
}

function savedMetric({ metrics }: PropertyConfiguration, id: string | undefined): Metric {
  const metric = metrics.find((it) => it.id === id);
  if (metric === undefined) throw new ApiError('not_found', { message: `There is no metric "${id}".` });
  return metric;
}

/** Checked like one that is saved, under an id of its own: tests that use the saved one do not matter. */
async function unsavedMetric(
  property: PropertyConfiguration,
  { id: given, name = given, ...definition }: Record<string, unknown>,
  { withUnsavedItem }: Services,
): Promise<Metric> {
  const key = `preview-${randomUUID()}`;
  const unsaved = { ...definition, ...(name !== undefined && { name }) };
  // Of a property that has as many as it may, one makes room.
  const room = { ...property, metrics: property.metrics.slice(0, MAX_METRICS - 1) };
  const { metrics } = await withUnsavedItem(room, { type: 'metric', key, definition: unsaved });
  const metric = metrics.find(({ id }) => id === key)!;
  return metric.name === key ? { ...metric, name: metric.kind } : metric;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const definition: unknown = JSON.parse(text);
    if (isObject(definition)) return definition;
  } catch {
    // Reported like a definition that is no object.
  }
  throw invalidField('/definition', 'must be JSON, like a metric of the provision file');
}
