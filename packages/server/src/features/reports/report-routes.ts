import {
  ResultsBundle,
  ResultsExportQuery,
  SplitTestResults,
  SplitTestResultsQuery,
} from '@switchyard/core/api/results';
import { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import { buildReport } from '@switchyard/core/stats/report/report';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { Authentication } from '../../http/authentication.ts';
import { bundleOf } from './report-bundle.ts';
import { countsCsv } from './report-csv.ts';
import { scopeOf } from './report-scope.ts';
import { type ReportQueries, ReportService } from './report-service.ts';
import { ReportSnapshots } from './report-snapshots.ts';
import { planPeriod, planResponse } from './test-plan.ts';

interface Dependencies {
  auth: Authentication;
  eventStore: ReportQueries;
  /** Grows whenever an answer of the event store may have changed. */
  changes: () => number;
}

export function registerReportRoutes(
  app: FastifyInstance,
  { auth, eventStore, changes }: Dependencies,
): void {
  const reports = new ReportService(eventStore, new ReportSnapshots(changes));
  registerResults(app, auth, reports);
  registerExport(app, auth, reports);
  registerPlan(app, auth, eventStore);
}

function registerResults(app: FastifyInstance, auth: Authentication, reports: ReportService): void {
  app.get<{ Querystring: SplitTestResultsQuery }>(
    '/v1/split-testing/results',
    auth.route({
      tag: 'Split testing',
      summary: 'Counts, statistics, health and verdict of a split test',
      description:
        'The unit is the visitor, and the first exposure decides. Each phase of a test is reported on its own. Counts that are expensive to take may be a little old: `asOf` says when they were taken.',
      key: 'secret',
      querystring: SplitTestResultsQuery,
      responses: { 200: { ...SplitTestResults, description: 'The report' } },
      errors: ['wrong_property', 'split_test_not_found'],
    }),
    async (request): Promise<SplitTestResults> => {
      const { propertyId, splitTestKey, phase, ...options } = request.query;
      const scope = scopeOf(auth.property(request, propertyId), splitTestKey, phase);
      return reports.results(scope, options);
    },
  );
}

const BUNDLE_EXAMPLES = Object.fromEntries(
  (ResultsBundle as { examples?: unknown[] }).examples!.map((value, index) => [
    `example${index + 1}`,
    { value },
  ]),
);

function registerExport(app: FastifyInstance, auth: Authentication, reports: ReportService): void {
  app.get<{ Querystring: ResultsExportQuery }>(
    '/v1/split-testing/results/export',
    auth.route({
      tag: 'Split testing',
      summary: 'The report as a file',
      description: '`switchyard verify` computes a bundle again, offline, and says whether it holds.',
      key: 'secret',
      querystring: ResultsExportQuery,
      responses: {
        200: {
          description: 'The file',
          content: {
            'application/json': { schema: ResultsBundle, examples: BUNDLE_EXAMPLES },
            'text/csv': { schema: { type: 'string' } },
          },
        },
      },
      errors: ['wrong_property', 'split_test_not_found'],
    }),
    async (request, reply) => {
      const { propertyId, splitTestKey, phase, bots, format = 'bundle' } = request.query;
      const scope = scopeOf(auth.property(request, propertyId), splitTestKey, phase);
      const input = await reports.input(scope, bots === 'include');
      const extension = format === 'csv' ? 'csv' : 'json';
      reply.header('content-disposition', `attachment; filename="${fileName(splitTestKey)}.${extension}"`);
      if (format === 'bundle') return reply.send(bundleOf(scope, input));
      const csv = countsCsv(splitTestKey, scope.phase?.number, buildReport(input));
      return reply.type('text/csv; charset=utf-8').send(csv);
    },
  );
}

const fileName = (key: string) => key.replaceAll(/[^A-Za-z0-9._-]/g, '_');

function registerPlan(app: FastifyInstance, auth: Authentication, eventStore: ReportQueries): void {
  app.get<{ Querystring: PlanQuery }>(
    '/v1/split-testing/plan',
    auth.route({
      tag: 'Split testing',
      summary: 'How many visitors and days a test would take',
      description: 'From what the property has seen of late, tests aside.',
      key: 'secret',
      querystring: PlanQuery,
      responses: { 200: { ...PlanResponse, description: 'The plan' } },
      errors: ['wrong_property', 'goal_not_found'],
    }),
    async (request): Promise<PlanResponse> => {
      const { propertyId, goalId, days = 28 } = request.query;
      const property = auth.property(request, propertyId);
      const goal = property.goals.find(({ id }) => id === goalId);
      if (goal === undefined) throw new ApiError('goal_not_found');
      const isRevenue = goal.kind === 'revenue';
      const period = planPeriod(days, Date.now());
      const seen = await eventStore.goalBaseline({ propertyId, goalId, isRevenue, ...period });
      return planResponse(property, goal, request.query, seen);
    },
  );
}
