import { COMPARISON } from '@switchyard/core/api/common';
import {
  TrafficBreakdown,
  TrafficBreakdownQuery,
  TrafficLive,
  TrafficNowQuery,
  TrafficQuery,
  TrafficReceived,
  TrafficSeries,
  TrafficSeriesQuery,
  TrafficSummary,
} from '@switchyard/core/api/traffic';
import type { FastifyReply } from 'fastify';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { ownHosts } from '../../events/store/external-referrer.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes, RouteDeclaration } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { seriesInterval, trafficScope } from './traffic-period.ts';
import type { TrafficRequest, TrafficScope } from './traffic-request.ts';

interface Dependencies {
  auth: Authentication;
  /** Runs on the report thread. */
  report: (request: TrafficRequest) => Promise<{ contentType: string; body: Uint8Array }>;
}

const PERIOD =
  'Default period: the last 30 days. Filters keep the sessions that match all of them; see the guide to traffic for the definitions.';

const declaration = {
  tag: 'Traffic',
  key: 'secret',
  members: true,
  errors: ['wrong_property', 'overloaded', ...EVENT_QUERY_ERRORS],
} satisfies Partial<RouteDeclaration>;

export function registerTrafficRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerSummary(api, dependencies);
  registerSeries(api, dependencies);
  registerBreakdown(api, dependencies);
  registerNow(api, dependencies);
}

/** With what the property defines: its own pages, and which goals have revenue. */
function scopeOf(property: PropertyConfiguration, scope: Omit<TrafficScope, 'timeZone'>): TrafficScope {
  const revenueGoalIds = property.goals.filter(({ kind }) => kind === 'revenue').map(({ id }) => id);
  return {
    ...scope,
    timeZone: property.timeZone,
    query: { ...scope.query, ownHosts: ownHosts(property), revenueGoalIds },
  };
}

async function send(reply: FastifyReply, report: ReturnType<Dependencies['report']>): Promise<FastifyReply> {
  const { contentType, body } = await report;
  return reply.type(contentType).send(body);
}

function registerSummary(api: ApiRoutes, { auth, report }: Dependencies): void {
  api.get<{ Querystring: TrafficQuery }>(
    '/v1/traffic/summary',
    {
      ...declaration,
      summary: 'Visitors, sessions, page views and conversions, compared with the previous period',
      description: `${PERIOD} ${COMPARISON}`,
      querystring: TrafficQuery,
      responses: { 200: { ...TrafficSummary, description: 'The totals' } },
    },
    (request, reply) => {
      const scope = trafficScope(request.query, Date.now());
      const property = auth.property(request, request.query.propertyId);
      return send(reply, report({ type: 'traffic', question: 'summary', scope: scopeOf(property, scope) }));
    },
  );
}

function registerSeries(api: ApiRoutes, { auth, report }: Dependencies): void {
  api.get<{ Querystring: TrafficSeriesQuery }>(
    '/v1/traffic/series',
    {
      ...declaration,
      summary: 'Traffic by hour, day, week or month',
      description: PERIOD,
      querystring: TrafficSeriesQuery,
      responses: { 200: { ...TrafficSeries, description: 'The series' } },
    },
    (request, reply) => {
      const scope = trafficScope(request.query, Date.now());
      const interval = seriesInterval(request.query, scope);
      const property = auth.property(request, request.query.propertyId);
      return send(
        reply,
        report({ type: 'traffic', question: 'series', scope: scopeOf(property, scope), interval }),
      );
    },
  );
}

function registerBreakdown(api: ApiRoutes, { auth, report }: Dependencies): void {
  api.get<{ Querystring: TrafficBreakdownQuery }>(
    '/v1/traffic/breakdown',
    {
      ...declaration,
      summary: 'Traffic by page, referrer, campaign, country, device, browser or operating system',
      description: PERIOD,
      querystring: TrafficBreakdownQuery,
      responses: { 200: { ...TrafficBreakdown, description: 'The largest rows' } },
    },
    (request, reply) => {
      const { propertyId, by, limit = 10 } = request.query;
      const scope = trafficScope(request.query, Date.now());
      const property = auth.property(request, propertyId);
      return send(
        reply,
        report({ type: 'traffic', question: 'breakdown', scope: scopeOf(property, scope), by, limit }),
      );
    },
  );
}

function registerNow(api: ApiRoutes, { auth, report }: Dependencies): void {
  api.get<{ Querystring: TrafficNowQuery }>(
    '/v1/traffic/live',
    {
      ...declaration,
      summary: 'Visitors of the last 5 minutes',
      description: 'Bots are not counted.',
      querystring: TrafficNowQuery,
      responses: { 200: { ...TrafficLive, description: 'The visitors' } },
    },
    (request, reply) => {
      const { propertyId } = request.query;
      auth.property(request, propertyId);
      return send(reply, report({ type: 'traffic', question: 'live', propertyId, at: Date.now() }));
    },
  );
  api.get<{ Querystring: TrafficNowQuery }>(
    '/v1/traffic/received',
    {
      ...declaration,
      summary: 'When the first and the last session, exposure, goal and feedback arrived',
      description: 'Shows whether the installation works.',
      querystring: TrafficNowQuery,
      responses: { 200: { ...TrafficReceived, description: 'The times of receipt' } },
    },
    (request, reply) => {
      const { propertyId } = request.query;
      auth.property(request, propertyId);
      return send(reply, report({ type: 'traffic', question: 'received', propertyId }));
    },
  );
}
